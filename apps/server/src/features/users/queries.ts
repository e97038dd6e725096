import type { PlanName } from '@holdfast/contract';
import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  sql,
} from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { preparedStep } from '../../db/prepared-step.ts';
import type { SealedRows } from '../../db/sealed/queries.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { users } from './table.ts';

/** A deleted account's row stays for what refers to it; it has no person's platform id any more. */
const deletedPrefix = 'deleted:';
const isDeleted = sql<boolean>`starts_with(${users.platformId}, ${sql.raw(`'${deletedPrefix}'`)})`;

const accountHeld = preparedStep<{ isLive: boolean }>(['isLive'], (tx) =>
  tx
    .select({ isLive: sql<boolean>`not ${isDeleted}` })
    .from(users)
    .where(eq(users.id, sql.placeholder('userId')))
    .for('key share'),
);

/**
 * False where the account was deleted; otherwise it cannot be until the transaction ends. The weakest lock
 * that does so: changes of one account wait for its deletion, and not for each other.
 */
export const holdAccount = async (tx: Transaction, userId: string): Promise<boolean> => {
  const [account] = await accountHeld(tx, { userId });
  return account?.isLive === true;
};

/** Alone with the account: every change that was begun has ended, and the next one waits. */
export const lockWholeAccount = async (tx: Transaction, userId: string) => {
  const { platformId, username, displayName } = users;
  const [user] = await tx
    .select({ platformId, username, displayName })
    .from(users)
    .where(and(eq(users.id, userId), sql`not ${isDeleted}`))
    .for('update');
  return user;
};

/** The row that stays names nobody, and its person is free to sign in anew. */
export const forgetPerson = async (tx: Transaction, userId: string): Promise<void> => {
  await tx
    .update(users)
    .set({
      ...{ platformId: `${deletedPrefix}${userId}`, username: 'deleted', displayName: null },
      ...{ avatarUrl: null, email: null, plan: 'FREE', mfaEnabled: false, updatedAt: sql`now()` },
    })
    .where(eq(users.id, userId));
};

export const forgetHashKey = async (tx: Transaction, userId: string): Promise<void> => {
  await tx
    .update(users)
    .set({ hashKey: null })
    .where(and(eq(users.id, userId), isDeleted));
};

/** Whether the account was deleted at that time already, to the second. Its row does not change after its deletion. */
export const wasDeletedBy = async (db: Queryable, userId: string, at: Date): Promise<boolean> => {
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(eq(users.id, userId), isDeleted, sql`date_trunc('second', ${users.updatedAt}) <= ${at}`),
    );
  return found.length > 0;
};

export const isDeletedAccount = async (db: Queryable, userId: string): Promise<boolean> => {
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isDeleted));
  return found.length > 0;
};

/** For what providers tell and jobs do, which goes on for an account that is deleted. */
export const lockUserRow = async (tx: Transaction, userId: string): Promise<boolean> => {
  const [user] = await tx
    .select({ platformId: users.platformId })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  return user !== undefined && !user.platformId.startsWith(deletedPrefix);
};

/** Counts against the plan happen under this lock: one creation at a time per account. */
export const lockUser = async (tx: Transaction, userId: string): Promise<void> => {
  // The account was deleted while this waited for its row.
  if (!(await lockUserRow(tx, userId))) throw unauthorized();
};

/** The user of that platform id, made if need be, and locked. */
export const findOrCreateUser = async (
  tx: Transaction,
  platformId: string,
  username = `user-${platformId}`,
) => {
  const [user] = await tx
    .insert(users)
    .values({ id: newId(), platformId, username })
    .onConflictDoUpdate({ target: users.platformId, set: { platformId } })
    .returning({ id: users.id, plan: users.plan });
  if (!user) throw new Error('The user could not be stored');
  return user;
};

/** Who came by the dashboard's sign-in: their account, made if need be, with the names of today. */
export const storeSignedIn = async (
  db: Queryable,
  person: {
    platformId: string;
    username: string;
    displayName: string | null;
    avatarUrl: string | null;
    email: string | null;
  },
): Promise<{ id: string; mfaEnabled: boolean }> => {
  const { platformId, ...shown } = person;
  const [user] = await db
    .insert(users)
    .values({ id: newId(), ...person })
    .onConflictDoUpdate({ target: users.platformId, set: { ...shown, updatedAt: sql`now()` } })
    .returning({ id: users.id, mfaEnabled: users.mfaEnabled });
  if (!user) throw new Error('The user could not be stored');
  return user;
};

const { id, platformId, username, displayName, plan, mfaEnabled, createdAt } = users;
const accountFields = {
  userId: id,
  ...{ platformId, username, displayName, plan, mfaEnabled, createdAt },
};

/** For the operator: every account there is, newest first. */
export const listAccounts = async (
  db: Queryable,
  { page, limit }: { page: number; limit: number },
) => {
  const accounts = await db
    .select(accountFields)
    .from(users)
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .offset((page - 1) * limit);
  const [counted] = await db.select({ total: count() }).from(users);
  return { accounts, total: counted?.total ?? 0 };
};

const mostFound = 100;

/** For the operator: those that meet any of what is asked for, newest first. */
export const findAccounts = (
  db: Queryable,
  asked: { ids: string[]; platformId?: string | undefined; username?: string | undefined },
) =>
  db
    .select(accountFields)
    .from(users)
    .where(
      or(
        inArray(id, asked.ids),
        asked.platformId === undefined ? undefined : eq(platformId, asked.platformId),
        asked.username === undefined
          ? undefined
          : eq(sql`lower(${username})`, asked.username.toLowerCase()),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(mostFound);

export const findUserByPlatformId = async (db: Queryable, platformId: string) => {
  const [user] = await db
    .select({ id: users.id, plan: users.plan, mfaEnabled: users.mfaEnabled })
    .from(users)
    .where(eq(users.platformId, platformId));
  return user;
};

/** Whether the person's account asks for a code; it stays so until the transaction ends. */
export const holdMfaEnabled = async (tx: Transaction, platformId: string): Promise<boolean> => {
  const [user] = await tx
    .select({ mfaEnabled: users.mfaEnabled })
    .from(users)
    .where(eq(users.platformId, platformId))
    .for('share');
  return user?.mfaEnabled ?? false;
};

export const findPlatformId = async (db: Queryable, userId: string): Promise<string> => {
  const [user] = await db
    .select({ platformId: users.platformId })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new Error('The account is gone');
  return user.platformId;
};

export const findUsername = async (db: Queryable, userId: string): Promise<string> => {
  const [user] = await db
    .select({ username: users.username })
    .from(users)
    .where(eq(users.id, userId));
  return user?.username ?? '';
};

export const setMfaEnabled = async (
  tx: Transaction,
  userId: string,
  mfaEnabled: boolean,
): Promise<void> => {
  await tx.update(users).set({ mfaEnabled, updatedAt: sql`now()` }).where(eq(users.id, userId));
};

export const setPlan = async (tx: Transaction, userId: string, plan: PlanName): Promise<void> => {
  await tx.update(users).set({ plan, updatedAt: sql`now()` }).where(eq(users.id, userId));
};

/** Whether there is such an account, deleted ones included. */
export const isUser = async (db: Queryable, userId: string): Promise<boolean> => {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return found.length > 0;
};

export const findPlan = async (db: Queryable, userId: string): Promise<PlanName | undefined> => {
  const [user] = await db.select({ plan: users.plan }).from(users).where(eq(users.id, userId));
  return user?.plan;
};

export const findEmail = async (db: Queryable, userId: string): Promise<string | null> => {
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId));
  return user?.email ?? null;
};

/** Sealed; null where the account has none yet. */
export const findHashKey = async (db: Queryable, userId: string): Promise<string | null> => {
  const [user] = await db
    .select({ hashKey: users.hashKey })
    .from(users)
    .where(eq(users.id, userId));
  return user?.hashKey ?? null;
};

/** False where somebody else made the account's key first. */
export const storeFirstHashKey = async (
  db: Queryable,
  userId: string,
  hashKey: string,
): Promise<boolean> => {
  const stored = await db
    .update(users)
    .set({ hashKey })
    .where(and(eq(users.id, userId), isNull(users.hashKey)))
    .returning({ id: users.id });
  return stored.length > 0;
};

export const sealedHashKeys: SealedRows = {
  from: users,
  keyId: sql`split_part(${users.hashKey}, '.', 2)`,
};

/** Of accounts whose key is sealed under another master key than this one, in the order of ids. */
export const lockHashKeysSealedElsewhere = (
  tx: Transaction,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  tx
    .select({ userId: users.id, hashKey: sql<string>`${users.hashKey}` })
    .from(users)
    .where(and(isNotNull(users.hashKey), ne(sealedHashKeys.keyId, sealKeyId), gt(users.id, after)))
    .orderBy(asc(users.id))
    .limit(most)
    .for('no key update', { skipLocked: true });

export const storeResealedHashKey = async (
  tx: Transaction,
  userId: string,
  hashKey: string,
): Promise<void> => {
  await tx.update(users).set({ hashKey }).where(eq(users.id, userId));
};

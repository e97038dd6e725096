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
import { accounts } from './table.ts';

/** A deleted account's row stays for what refers to it; it has no person's platform id any more. */
const deletedPrefix = 'deleted:';
const isDeleted = sql<boolean>`starts_with(${accounts.platformId}, ${sql.raw(`'${deletedPrefix}'`)})`;

const accountHeld = preparedStep<{ isLive: boolean }>(['isLive'], (tx) =>
  tx
    .select({ isLive: sql<boolean>`not ${isDeleted}` })
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('accountId')))
    .for('key share'),
);

/**
 * False where the account was deleted; otherwise it cannot be until the transaction ends. The weakest lock
 * that does so: changes of one account wait for its deletion, and not for each other.
 */
export const holdAccount = async (tx: Transaction, accountId: string): Promise<boolean> => {
  const [account] = await accountHeld(tx, { accountId });
  return account?.isLive === true;
};

/** Alone with the account: every change that was begun has ended, and the next one waits. */
export const lockWholeAccount = async (tx: Transaction, accountId: string) => {
  const { platformId, username, displayName } = accounts;
  const [user] = await tx
    .select({ platformId, username, displayName })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), sql`not ${isDeleted}`))
    .for('update');
  return user;
};

/** The row that stays names nobody, and its person is free to sign in anew. */
export const forgetPerson = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx
    .update(accounts)
    .set({
      ...{ platformId: `${deletedPrefix}${accountId}`, username: 'deleted', displayName: null },
      ...{ avatarUrl: null, email: null, plan: 'FREE', mfaEnabled: false, updatedAt: sql`now()` },
    })
    .where(eq(accounts.id, accountId));
};

export const forgetHashKey = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx
    .update(accounts)
    .set({ hashKey: null })
    .where(and(eq(accounts.id, accountId), isDeleted));
};

/** Whether the account was deleted at that time already, to the second. Its row does not change after its deletion. */
export const wasDeletedBy = async (db: Queryable, accountId: string, at: Date): Promise<boolean> => {
  const found = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(eq(accounts.id, accountId), isDeleted, sql`date_trunc('second', ${accounts.updatedAt}) <= ${at}`),
    );
  return found.length > 0;
};

export const isDeletedAccount = async (db: Queryable, accountId: string): Promise<boolean> => {
  const found = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isDeleted));
  return found.length > 0;
};

/** For what providers tell and jobs do, which goes on for an account that is deleted. */
export const lockUserRow = async (tx: Transaction, accountId: string): Promise<boolean> => {
  const [user] = await tx
    .select({ platformId: accounts.platformId })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('no key update');
  return user !== undefined && !user.platformId.startsWith(deletedPrefix);
};

/** Counts against the plan happen under this lock: one creation at a time per account. */
export const lockUser = async (tx: Transaction, accountId: string): Promise<void> => {
  // The account was deleted while this waited for its row.
  if (!(await lockUserRow(tx, accountId))) throw unauthorized();
};

/** The user of that platform id, made if need be, and locked. */
export const findOrCreateUser = async (
  tx: Transaction,
  platformId: string,
  username = `user-${platformId}`,
) => {
  const [user] = await tx
    .insert(accounts)
    .values({ id: newId(), platformId, username })
    .onConflictDoUpdate({ target: accounts.platformId, set: { platformId } })
    .returning({ id: accounts.id, plan: accounts.plan });
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
    .insert(accounts)
    .values({ id: newId(), ...person })
    .onConflictDoUpdate({ target: accounts.platformId, set: { ...shown, updatedAt: sql`now()` } })
    .returning({ id: accounts.id, mfaEnabled: accounts.mfaEnabled });
  if (!user) throw new Error('The user could not be stored');
  return user;
};

const { id, platformId, username, displayName, plan, mfaEnabled, createdAt } = accounts;
const accountFields = {
  accountId: id,
  ...{ platformId, username, displayName, plan, mfaEnabled, createdAt },
};

/** For the operator: every account there is, newest first. */
export const listAccounts = async (
  db: Queryable,
  { page, limit }: { page: number; limit: number },
) => {
  const rows = await db
    .select(accountFields)
    .from(accounts)
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .offset((page - 1) * limit);
  const [counted] = await db.select({ total: count() }).from(accounts);
  return { accounts: rows, total: counted?.total ?? 0 };
};

const mostFound = 100;

/** For the operator: those that meet any of what is asked for, newest first. */
export const findAccounts = (
  db: Queryable,
  asked: { ids: string[]; platformId?: string | undefined; username?: string | undefined },
) =>
  db
    .select(accountFields)
    .from(accounts)
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
    .select({ id: accounts.id, plan: accounts.plan, mfaEnabled: accounts.mfaEnabled })
    .from(accounts)
    .where(eq(accounts.platformId, platformId));
  return user;
};

/** Whether the person's account asks for a code; it stays so until the transaction ends. */
export const holdMfaEnabled = async (tx: Transaction, platformId: string): Promise<boolean> => {
  const [user] = await tx
    .select({ mfaEnabled: accounts.mfaEnabled })
    .from(accounts)
    .where(eq(accounts.platformId, platformId))
    .for('share');
  return user?.mfaEnabled ?? false;
};

export const findPlatformId = async (db: Queryable, accountId: string): Promise<string> => {
  const [user] = await db
    .select({ platformId: accounts.platformId })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  if (!user) throw new Error('The account is gone');
  return user.platformId;
};

export const findUsername = async (db: Queryable, accountId: string): Promise<string> => {
  const [user] = await db
    .select({ username: accounts.username })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return user?.username ?? '';
};

export const setMfaEnabled = async (
  tx: Transaction,
  accountId: string,
  mfaEnabled: boolean,
): Promise<void> => {
  await tx.update(accounts).set({ mfaEnabled, updatedAt: sql`now()` }).where(eq(accounts.id, accountId));
};

export const setPlan = async (tx: Transaction, accountId: string, plan: PlanName): Promise<void> => {
  await tx.update(accounts).set({ plan, updatedAt: sql`now()` }).where(eq(accounts.id, accountId));
};

/** Whether there is such an account, deleted ones included. */
export const isUser = async (db: Queryable, accountId: string): Promise<boolean> => {
  const found = await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId));
  return found.length > 0;
};

export const findPlan = async (db: Queryable, accountId: string): Promise<PlanName | undefined> => {
  const [user] = await db.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, accountId));
  return user?.plan;
};

export const findEmail = async (db: Queryable, accountId: string): Promise<string | null> => {
  const [user] = await db.select({ email: accounts.email }).from(accounts).where(eq(accounts.id, accountId));
  return user?.email ?? null;
};

/** Sealed; null where the account has none yet. */
export const findHashKey = async (db: Queryable, accountId: string): Promise<string | null> => {
  const [user] = await db
    .select({ hashKey: accounts.hashKey })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return user?.hashKey ?? null;
};

/** False where somebody else made the account's key first. */
export const storeFirstHashKey = async (
  db: Queryable,
  accountId: string,
  hashKey: string,
): Promise<boolean> => {
  const stored = await db
    .update(accounts)
    .set({ hashKey })
    .where(and(eq(accounts.id, accountId), isNull(accounts.hashKey)))
    .returning({ id: accounts.id });
  return stored.length > 0;
};

export const sealedHashKeys: SealedRows = {
  from: accounts,
  keyId: sql`split_part(${accounts.hashKey}, '.', 2)`,
};

/** Of accounts whose key is sealed under another master key than this one, in the order of ids. */
export const lockHashKeysSealedElsewhere = (
  tx: Transaction,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  tx
    .select({ accountId: accounts.id, hashKey: sql<string>`${accounts.hashKey}` })
    .from(accounts)
    .where(and(isNotNull(accounts.hashKey), ne(sealedHashKeys.keyId, sealKeyId), gt(accounts.id, after)))
    .orderBy(asc(accounts.id))
    .limit(most)
    .for('no key update', { skipLocked: true });

export const storeResealedHashKey = async (
  tx: Transaction,
  accountId: string,
  hashKey: string,
): Promise<void> => {
  await tx.update(accounts).set({ hashKey }).where(eq(accounts.id, accountId));
};

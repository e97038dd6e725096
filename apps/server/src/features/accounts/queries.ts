import type { PlanName } from '@holdfast/contract';
import { and, desc, eq, inArray, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { preparedStep } from '../../db/prepared.ts';
import { countRows, listPage } from '../../db/queries/list-page.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { accounts } from './table.ts';

const { id, platformId, username, displayName, plan, mfaEnabled, createdAt } = accounts;

/** A deleted account's row stays, because others refer to it, but it names no person any more. */
const deletedPrefix = 'deleted:';
export const isDeleted = sql<boolean>`starts_with(${accounts.platformId}, ${sql.raw(`'${deletedPrefix}'`)})`;

const holdAccountStatement = preparedStep<{ isLive: boolean }>(['isLive'], (tx) =>
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
export const holdAccount = async (tx: Transaction, accountId: string) => {
  const [account] = await holdAccountStatement(tx, { accountId });
  return account?.isLive === true;
};

/** Waits until every change of the account that has begun has ended, and lets no other begin. */
export const lockAccountExclusively = (tx: Transaction, accountId: string) =>
  firstRow(
    tx
      .select({ platformId, username, displayName })
      .from(accounts)
      .where(and(eq(accounts.id, accountId), sql`not ${isDeleted}`))
      .for('update'),
  );

/** The person can sign in again and gets a new account. */
export const anonymizeAccount = async (tx: Transaction, accountId: string) => {
  await tx
    .update(accounts)
    .set({
      ...{ platformId: `${deletedPrefix}${accountId}`, username: 'deleted', displayName: null },
      ...{ avatarUrl: null, email: null, plan: 'FREE', mfaEnabled: false, updatedAt: sql`now()` },
    })
    .where(eq(accounts.id, accountId));
};

/** Whether it was deleted already at that time, to the second: a deleted account's row does not change. */
export const wasDeletedBefore = async (db: Queryable, accountId: string, at: Date) => {
  const isBefore = sql`date_trunc('second', ${accounts.updatedAt}) <= ${at}`;
  return (await countRows(db, accounts, and(eq(accounts.id, accountId), isDeleted, isBefore))) > 0;
};

export const isDeletedAccount = async (db: Queryable, accountId: string): Promise<boolean> =>
  (await countRows(db, accounts, and(eq(accounts.id, accountId), isDeleted))) > 0;

/** For jobs and events of providers, which also concern deleted accounts; false for a deleted one. */
export const lockAccountRow = async (tx: Transaction, accountId: string) => {
  const [account] = await tx
    .select({ platformId: accounts.platformId })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('no key update');
  return account !== undefined && !account.platformId.startsWith(deletedPrefix);
};

/** Limits of the plan are counted under this lock: one creation at a time per account. */
export const lockAccount = async (tx: Transaction, accountId: string) => {
  // It was deleted while this transaction waited for its row.
  if (!(await lockAccountRow(tx, accountId))) throw unauthorized();
};

/** The account of that platform id, created if necessary, and locked. */
export const findOrCreateAccount = async (
  tx: Transaction,
  platformId: string,
  username = `user-${platformId}`,
) => {
  const [account] = await tx
    .insert(accounts)
    .values({ id: newId(), platformId, username })
    .onConflictDoUpdate({ target: accounts.platformId, set: { platformId } })
    .returning({ id: accounts.id, plan: accounts.plan });
  if (!account) throw new Error('The account could not be stored');
  return account;
};

/** The account of a person who signed in to the dashboard, created if necessary, with their current names. */
export const storeSignedInAccount = async (
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
  const [account] = await db
    .insert(accounts)
    .values({ id: newId(), ...person })
    .onConflictDoUpdate({ target: accounts.platformId, set: { ...shown, updatedAt: sql`now()` } })
    .returning({ id: accounts.id, mfaEnabled: accounts.mfaEnabled });
  if (!account) throw new Error('The account could not be stored');
  return account;
};

const accountFields = {
  accountId: id,
  ...{ platformId, username, displayName, plan, mfaEnabled, createdAt },
};

/** For the operator: all accounts, newest first. */
export const listAccounts = async (db: Queryable, query: { page: number; limit: number }) => {
  const newestFirst = db.select(accountFields).from(accounts).orderBy(desc(createdAt), desc(id));
  const { rows, total } = await listPage(query, newestFirst, countRows(db, accounts));
  return { accounts: rows, total };
};

/** For the operator: accounts that match any of the given values, newest first. */
export const findAccounts = (
  db: Queryable,
  search: { ids: string[]; platformId?: string | undefined; username?: string | undefined },
) =>
  db
    .select(accountFields)
    .from(accounts)
    .where(
      or(
        inArray(id, search.ids),
        search.platformId === undefined ? undefined : eq(platformId, search.platformId),
        search.username === undefined
          ? undefined
          : eq(sql`lower(${username})`, search.username.toLowerCase()),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(100);

export const findAccountByPlatformId = (db: Queryable, platformId: string) =>
  firstRow(
    db
      .select({ id: accounts.id, plan: accounts.plan, mfaEnabled: accounts.mfaEnabled })
      .from(accounts)
      .where(eq(accounts.platformId, platformId)),
  );

/** Whether the person's account requires a code; a share lock keeps it so until the transaction ends. */
export const holdMfaEnabled = async (tx: Transaction, platformId: string) => {
  const [account] = await tx
    .select({ mfaEnabled: accounts.mfaEnabled })
    .from(accounts)
    .where(eq(accounts.platformId, platformId))
    .for('share');
  return account?.mfaEnabled ?? false;
};

const findAccount = (db: Queryable, accountId: string) =>
  firstRow(
    db
      .select({ platformId, username, plan, email: accounts.email })
      .from(accounts)
      .where(eq(id, accountId)),
  );

export const findPlatformId = async (db: Queryable, accountId: string): Promise<string> => {
  const account = await findAccount(db, accountId);
  if (!account) throw new Error('The account is gone');
  return account.platformId;
};

export const findUsername = async (db: Queryable, accountId: string): Promise<string> =>
  (await findAccount(db, accountId))?.username ?? '';

export const findPlan = async (db: Queryable, accountId: string): Promise<PlanName | undefined> =>
  (await findAccount(db, accountId))?.plan;

export const findEmail = async (db: Queryable, accountId: string): Promise<string | null> =>
  (await findAccount(db, accountId))?.email ?? null;

/** Whether there is such an account, deleted ones included. */
export const accountExists = async (db: Queryable, accountId: string): Promise<boolean> =>
  (await findAccount(db, accountId)) !== undefined;

export const setMfaEnabled = async (tx: Transaction, accountId: string, mfaEnabled: boolean) => {
  await tx
    .update(accounts)
    .set({ mfaEnabled, updatedAt: sql`now()` })
    .where(eq(accounts.id, accountId));
};

export const setPlan = async (tx: Transaction, accountId: string, plan: PlanName) => {
  await tx.update(accounts).set({ plan, updatedAt: sql`now()` }).where(eq(accounts.id, accountId));
};

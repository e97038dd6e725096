import type { KeyScope } from '@holdfast/contract';
import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { countRows } from '../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import {
  type AuthorizationStatus,
  authorizationSeconds,
  keptSeconds,
  longestPollSeconds,
  pollSeconds,
  slowDownSeconds,
} from './rules.ts';
import { deviceAuthorizations } from './table.ts';

const { id, deviceCodeHash, userCode, status, machine, address, network, site, scopes } =
  deviceAuthorizations;
const { accountId, sessionId, keyDays, intervalSeconds, lastPolledAt, createdAt, expiresAt } =
  deviceAuthorizations;

const isWaiting = and(eq(status, 'PENDING'), gt(expiresAt, sql`now()`));

type NewAuthorization = Omit<
  typeof deviceAuthorizations.$inferInsert,
  'status' | 'intervalSeconds' | 'createdAt' | 'expiresAt'
>;

/** False where another one has that user code at the moment. */
export const insertAuthorization = (tx: Transaction, row: NewAuthorization): Promise<boolean> =>
  hasRows(
    tx
      .insert(deviceAuthorizations)
      .values({
        ...row,
        intervalSeconds: pollSeconds,
        expiresAt: sql`now() + make_interval(secs => ${authorizationSeconds})`,
      })
      .onConflictDoNothing({ target: userCode })
      .returning({ id }),
  );

/** How many wait that were asked for from there, counted by one request at a time. */
export const countWaitingOfNetwork = (tx: Transaction, from: string) =>
  countWaitingAt(tx, network, from);

/** The same of all networks of a site. Who counts both counts this first, so that no two wait for each other. */
export const countWaitingOfSite = (tx: Transaction, from: string) => countWaitingAt(tx, site, from);

const countWaitingAt = async (tx: Transaction, place: AnyPgColumn, from: string) => {
  const name = `device-login:${from}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  return countRows(tx, deviceAuthorizations, and(eq(place, from), isWaiting));
};

export const countWaiting = (db: Queryable): Promise<number> =>
  countRows(db, deviceAuthorizations, isWaiting);

/** The authorization of a poll, locked until its transaction ends. */
export const lockAuthorization = (tx: Transaction, hash: string) =>
  firstRow(
    tx
      .select({
        ...{ id, status, machine, scopes, accountId, sessionId, keyDays },
        isExpired: sql<boolean>`${expiresAt} <= now()`,
        // Half a second is the network's, not the program's.
        isTooSoon: sql<boolean>`coalesce(${lastPolledAt} > now() - make_interval(secs => ${intervalSeconds} - 0.5), false)`,
      })
      .from(deviceAuthorizations)
      .where(eq(deviceCodeHash, hash))
      .for('update'),
  );

/** Who polled too soon has to wait longer from now on. */
export const recordPoll = async (
  tx: Transaction,
  authorizationId: string,
  { isTooSoon }: { isTooSoon: boolean },
) => {
  const longer = sql`least(${intervalSeconds} + ${slowDownSeconds}, ${longestPollSeconds})`;
  await tx
    .update(deviceAuthorizations)
    .set({ lastPolledAt: sql`now()`, ...(isTooSoon && { intervalSeconds: longer }) })
    .where(eq(id, authorizationId));
};

export const setStatus = async (
  tx: Transaction,
  authorizationId: string,
  final: AuthorizationStatus,
) => {
  await tx.update(deviceAuthorizations).set({ status: final }).where(eq(id, authorizationId));
};

/** By the code that an owner typed. It belongs to nobody until somebody approves it. */
export const findByUserCode = (db: Queryable, code: string) =>
  firstRow(
    db
      .select({
        ...{ userCode, machine, address, scopes, createdAt, expiresAt },
        isUsed: sql<boolean>`${status} <> 'PENDING'`,
        isExpired: sql<boolean>`${expiresAt} <= now()`,
      })
      .from(deviceAuthorizations)
      .where(eq(userCode, code)),
  );

type Approval = { accountId: string; sessionId: string; scopes: KeyScope[]; keyDays: number };

/** Of several decisions the first counts: false for the others. */
export const approveAuthorization = (tx: Transaction, code: string, approval: Approval) =>
  decide(tx, code, { status: 'APPROVED', ...approval });

export const denyAuthorization = (tx: Transaction, code: string) =>
  decide(tx, code, { status: 'DENIED' });

const decide = (
  tx: Transaction,
  code: string,
  decision: Partial<Approval> & { status: AuthorizationStatus },
): Promise<boolean> =>
  hasRows(
    tx
      .update(deviceAuthorizations)
      .set(decision)
      .where(and(eq(userCode, code), isWaiting))
      .returning({ id }),
  );

/** When the account is deleted: what it approved is worth nothing, and names it no more. */
export const endAuthorizationsOf = async (tx: Transaction, ownerId: string) => {
  const ended: SQL = sql`case when ${status} = 'APPROVED' then 'SIGNED_OUT' else ${status} end`;
  await tx
    .update(deviceAuthorizations)
    .set({ status: ended, accountId: null, sessionId: null })
    .where(eq(accountId, ownerId));
};

export const deleteExpiredAuthorizations = async (db: Queryable) => {
  const longAgo = sql`now() - make_interval(secs => ${keptSeconds})`;
  await db.delete(deviceAuthorizations).where(lt(expiresAt, longAgo));
};

import type { BlockReason } from '@holdfast/contract';
import { and, desc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import type { SealedRows } from '../../../db/sealed/queries.ts';
import { memberTokens } from '../../vault/table.ts';
import { pendingVerifications } from '../table.ts';

const {
  id,
  accountId,
  serverId,
  botId,
  platformId,
  expiresAt,
  accessToken,
  refreshToken,
  outcome,
  outcomeAt,
} = pendingVerifications;

const validMs = 30 * 60 * 1000;
/** As long as the cookie by which its browser is recognized. */
const outcomeShownMs = 24 * 60 * 60 * 1000;
const inMs = (ms: number) => sql<Date>`now() + make_interval(secs => ${ms / 1000})`;
/** Tokens that could not be revoked for this long are deleted; they expire at the platform. */
const longestRevokingMs = 24 * 60 * 60 * 1000;

type PendingId = { id: string; accountId: string };
const hasId = (pending: PendingId) => and(eq(id, pending.id), eq(accountId, pending.accountId));
const isOfPerson = (ofPlatformId: string) => eq(platformId, ofPlatformId);

type NewPendingVerification = Omit<
  typeof pendingVerifications.$inferInsert,
  'expiresAt' | 'hasPassedCaptcha' | 'outcome' | 'outcomeAt' | 'blockReason'
>;

export const insertPendingVerification = async (
  tx: Transaction,
  row: NewPendingVerification,
): Promise<void> => {
  await tx.insert(pendingVerifications).values({ ...row, expiresAt: inMs(validMs) });
};

/** The newest of this browser for this server that has not expired. */
export const findPendingVerification = async (
  db: Queryable,
  browserHash: string,
  ofServerId: string,
) => {
  const [pending] = await db
    .select()
    .from(pendingVerifications)
    .where(
      and(
        eq(serverId, ofServerId),
        eq(pendingVerifications.browserHash, browserHash),
        gt(expiresAt, sql`now()`),
      ),
    )
    .orderBy(desc(id))
    .limit(1);
  return pending;
};

export type PendingVerification = NonNullable<Awaited<ReturnType<typeof findPendingVerification>>>;

/** False if it has an outcome already: of two concurrent requests, one sets it. */
export const setOutcome = async (
  tx: Transaction,
  pending: PendingId,
  result: { outcome: 'verified' } | { outcome: 'blocked'; blockReason: BlockReason },
): Promise<boolean> => {
  const changed = await tx
    .update(pendingVerifications)
    .set({ ...result, outcomeAt: sql`now()`, expiresAt: inMs(outcomeShownMs) })
    .where(and(hasId(pending), isNull(outcome)))
    .returning({ id });
  return changed.length > 0;
};

/** Undefined if its tokens were moved to the vault or discarded. */
export const findPendingTokens = async (db: Queryable, pending: PendingId) => {
  const [found] = await db
    .select({ id, accountId, botId, platformId, accessToken, refreshToken })
    .from(pendingVerifications)
    .where(and(hasId(pending), isNotNull(accessToken)));
  return found;
};

export type PendingTokens = NonNullable<Awaited<ReturnType<typeof findPendingTokens>>>;

export const clearPendingTokens = async (db: Queryable, pending: PendingId): Promise<void> => {
  await db
    .update(pendingVerifications)
    .set({ accessToken: null, refreshToken: null, sealKeyId: null })
    .where(hasId(pending));
};

/**
 * Whether the person's consent is needed beyond this verification. To the platform all tokens of one
 * person and one bot are one consent: revoking one of them ends the others as well.
 */
export const isConsentNeeded = async (db: Queryable, pending: PendingTokens): Promise<boolean> => {
  const [kept] = await db
    .select({ id: memberTokens.id })
    .from(memberTokens)
    .where(
      and(
        eq(memberTokens.accountId, pending.accountId),
        eq(memberTokens.botId, pending.botId),
        eq(memberTokens.platformId, pending.platformId),
      ),
    )
    .limit(1);
  if (kept) return true;
  const [undecided] = await db
    .select({ id })
    .from(pendingVerifications)
    .where(
      and(
        isOfPerson(pending.platformId),
        eq(botId, pending.botId),
        ne(id, pending.id),
        isNotNull(accessToken),
        isNull(outcome),
        gt(expiresAt, sql`now()`),
      ),
    )
    .limit(1);
  return undecided !== undefined;
};

/** With an outcome, tokens are needed no longer than without one. */
const areTokensOver = or(lt(expiresAt, sql`now()`), lt(outcomeAt, inMs(-validMs)));

export const listExpiredWithTokens = (db: Queryable, limit: number) =>
  db
    .select({ id, accountId })
    .from(pendingVerifications)
    .where(and(areTokensOver, isNotNull(accessToken)))
    .orderBy(expiresAt)
    .limit(limit);

export const deleteExpiredPending = async (db: Queryable): Promise<void> => {
  await db
    .delete(pendingVerifications)
    .where(
      and(
        lt(expiresAt, sql`now()`),
        or(isNull(accessToken), lt(expiresAt, inMs(-longestRevokingMs))),
      ),
    );
};

export const purgePendingVerifications = purgeByServer(pendingVerifications, id);

export const sealedPendingVerifications: SealedRows = {
  from: pendingVerifications,
  keyId: sql`${pendingVerifications.sealKeyId}`,
};

export const listPendingOfPerson = (db: Queryable, ofPlatformId: string) =>
  db
    .select({
      accountId,
      serverId,
      username: pendingVerifications.username,
      displayName: pendingVerifications.displayName,
      avatarHash: pendingVerifications.avatarHash,
      wantsRecovery: pendingVerifications.wantsRecovery,
      hasPassedCaptcha: pendingVerifications.hasPassedCaptcha,
      tokenScopes: pendingVerifications.scopes,
      outcome,
      blockReason: pendingVerifications.blockReason,
      expiresAt,
    })
    .from(pendingVerifications)
    .where(isOfPerson(ofPlatformId))
    .orderBy(expiresAt, id);

/**
 * An erasure deletes these first. A verification that is being completed holds its row, so either all
 * that it stores is there to be erased, or it is not completed.
 */
export const deletePendingOfPerson = (tx: Transaction, ofPlatformId: string) =>
  tx.delete(pendingVerifications).where(isOfPerson(ofPlatformId)).returning({ accountId });

/** Those without an outcome hold tokens of this bot. The person can begin again. */
export const deleteUndecidedPending = async (
  tx: Transaction,
  person: { botId: string; platformId: string },
): Promise<void> => {
  await tx
    .delete(pendingVerifications)
    .where(and(eq(botId, person.botId), isOfPerson(person.platformId), isNull(outcome)));
};

import { type BlockReason, type FunnelStage, funnelStages } from '@holdfast/contract';
import { and, desc, eq, inArray, isNotNull, lt, min, ne, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { deleteSome, purgeByServer } from '../../../db/queries/purge-rows.ts';
import { attempts } from '../table.ts';

type Attempt = { attemptId: string; serverId: string };

const { id, serverId, stage } = attempts;

/** With the server, so that a cookie of one server cannot change another server's figures. */
const ofServer = (attempt: Attempt) =>
  and(eq(id, attempt.attemptId), eq(serverId, attempt.serverId));

export const insertAttempt = async (
  db: Queryable,
  row: Omit<typeof attempts.$inferInsert, 'stage' | 'blockReason' | 'startedAt'>,
): Promise<void> => {
  await db.insert(attempts).values(row).onConflictDoNothing();
};

/** Only ever forward: a newcomer who was verified and comes again stays counted as verified. */
export const advanceAttempt = async (
  db: Queryable,
  attempt: Attempt,
  reached: FunnelStage,
): Promise<void> => {
  const before = funnelStages.slice(0, funnelStages.indexOf(reached));
  await db
    .update(attempts)
    .set({ stage: reached, blockReason: null })
    .where(and(ofServer(attempt), inArray(stage, before)));
};

/** The platform has told whose attempt it is. */
export const authorizeAttempt = async (
  tx: Transaction,
  attempt: Attempt,
  platformId: string,
): Promise<void> => {
  await tx.update(attempts).set({ platformId }).where(ofServer(attempt));
  await advanceAttempt(tx, attempt, 'authorized');
};

const attemptFields = {
  startedAt: attempts.startedAt,
  stage,
  blockReason: attempts.blockReason,
  country: attempts.country,
  region: attempts.region,
  asn: attempts.asn,
};

type Person = { accountId: string; serverId: string; platformId: string };

/** Newest first. */
export const listAttemptsOn = (db: Queryable, person: Person, most: number) =>
  db
    .select({ id, ...attemptFields })
    .from(attempts)
    .where(
      and(
        eq(attempts.platformId, person.platformId),
        eq(attempts.accountId, person.accountId),
        eq(serverId, person.serverId),
      ),
    )
    .orderBy(desc(attempts.startedAt), desc(id))
    .limit(most);

/** The first attempt on a server of which it is known whose it is; null without one. */
export const findFirstKnownAttempt = async (
  db: Queryable,
  server: { id: string; accountId: string },
): Promise<Date | null> => {
  const [first] = await db
    .select({ at: min(attempts.startedAt) })
    .from(attempts)
    .where(
      and(
        eq(serverId, server.id),
        eq(attempts.accountId, server.accountId),
        isNotNull(attempts.platformId),
      ),
    );
  return first?.at ?? null;
};

/** Of all accounts: for the person's own page. */
export const listAttemptsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      accountId: attempts.accountId,
      serverId,
      ...attemptFields,
      undecided: attempts.undecided,
    })
    .from(attempts)
    .where(eq(attempts.platformId, platformId))
    .orderBy(desc(attempts.startedAt), desc(id));

/** They stay counted, as nobody's. */
export const forgetAttemptsOfPerson = (tx: Transaction, platformId: string) =>
  tx
    .update(attempts)
    .set({ platformId: null })
    .where(eq(attempts.platformId, platformId))
    .returning({ accountId: attempts.accountId });

export const blockAttempt = async (
  db: Queryable,
  attempt: Attempt,
  reason: BlockReason,
): Promise<void> => {
  await db
    .update(attempts)
    .set({ blockReason: reason })
    .where(and(ofServer(attempt), ne(stage, 'verified')));
};

export const recordUndecided = async (
  db: Queryable,
  attempt: Attempt,
  undecided: readonly string[],
): Promise<void> => {
  await db
    .update(attempts)
    .set({ undecided: [...undecided] })
    .where(ofServer(attempt));
};

/** For attempts that analytics has counted. Returns how many were deleted, at most `limit`. */
export const deleteCountedAttempts = (
  db: Queryable,
  before: Date,
  limit: number,
): Promise<number> => deleteSome(db, id, lt(attempts.startedAt, before), limit);

/** The same for attempts that went no further than the visit. */
export const deleteCountedVisits = (
  db: Queryable,
  before: Date,
  limit: number,
): Promise<number> => {
  // A literal, not a parameter: otherwise the partial index on visits is not used.
  const isVisit = sql`stage = 'visited'`;
  return deleteSome(db, id, and(isVisit, lt(attempts.startedAt, before)), limit);
};

export const purgeAttempts = purgeByServer(attempts, id);

import { type BlockReason, type FunnelStage, funnelStages } from '@holdfast/contract';
import { and, eq, inArray, ne } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { attempts } from '../table.ts';

type Attempt = { attemptId: string; serverId: string };

const { id, serverId, stage } = attempts;

/** The server is in the condition: nobody moves another server's figures with their own cookie. */
const ofServer = (attempt: Attempt) =>
  and(eq(id, attempt.attemptId), eq(serverId, attempt.serverId));

export const insertAttempt = async (
  db: Queryable,
  row: Omit<typeof attempts.$inferInsert, 'stage' | 'blockReason' | 'startedAt'>,
): Promise<void> => {
  await db.insert(attempts).values(row).onConflictDoNothing();
};

/** Up, never down: whoever comes again after having been verified was verified. */
export const raiseAttempt = async (
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

export const purgeAttempts = async (
  db: Queryable,
  ofServerId: string,
  most: number,
): Promise<number> => {
  const some = db.select({ id }).from(attempts).where(eq(serverId, ofServerId)).limit(most);
  const gone = await db.delete(attempts).where(inArray(id, some)).returning({ id });
  return gone.length;
};

import { z } from 'zod';
import type { Transaction } from '../../../../db/connect.ts';
import { ofAccount } from '../../../../queue/job.ts';
import type { Queue } from '../../../../queue/queue.ts';

export const explainLosses = {
  name: 'protection.explain-losses',
  payload: z.object({
    serverId: z.guid(),
    accountId: z.guid(),
    botId: z.guid(),
    guildId: z.string(),
    /** The last entry that had been heard of when the losses were found; the version before gives none. */
    afterEntryId: z.string().optional(),
    /** How often the audit log was asked before. */
    round: z.int(),
    /** Whether it failed to answer the first time. */
    isRepeated: z.boolean().optional(),
  }),
  groupOf: ofAccount,
  concurrency: 16,
};

export type ExplainLosses = z.output<typeof explainLosses.payload>;

/** An entry of the audit log comes within a second or two. */
const graceSeconds = 5;
const pauseSeconds = 60;

export const explainLater = (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  { serverId, accountId, botId, guildId, afterEntryId, round, isRepeated }: ExplainLosses,
): Promise<void> =>
  queue.enqueue(
    tx,
    explainLosses,
    { serverId, accountId, botId, guildId, afterEntryId, round, isRepeated },
    { startAfterSeconds: round === 0 ? graceSeconds : pauseSeconds },
  );

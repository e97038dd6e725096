import { z } from 'zod';
import type { Transaction } from '../../../../db/connect.ts';
import { ofAccount } from '../../../../queue/job.ts';
import type { EnqueueOptions, Queue } from '../../../../queue/queue.ts';

export const judgeSelfGiven = {
  name: 'protection.judge-self-given',
  payload: z.object({
    serverId: z.guid(),
    accountId: z.guid(),
    botId: z.guid(),
    guildId: z.string(),
    /** Of entries up to this one the audit log has told all by now; null: of none yet. */
    settledId: z.string().nullable(),
  }),
  groupOf: ofAccount,
  concurrency: 16,
};

export type JudgeSelfGiven = z.output<typeof judgeSelfGiven.payload>;

export const judgeSelfGivenLater = (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  { serverId, accountId, botId, guildId, settledId }: JudgeSelfGiven,
  options?: EnqueueOptions,
): Promise<void> =>
  queue.enqueue(tx, judgeSelfGiven, { serverId, accountId, botId, guildId, settledId }, options);

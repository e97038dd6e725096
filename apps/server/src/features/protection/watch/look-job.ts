import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { ofAccount } from '../../../queue/job.ts';
import type { EnqueueOptions, Queue } from '../../../queue/queue.ts';

export const lookAtGuild = {
  name: 'protection.look-at-guild',
  payload: z.object({
    serverId: z.guid(),
    accountId: z.guid(),
    botId: z.guid(),
    guildId: z.string(),
    /** The last entry of the audit log that was heard; null where none was. */
    afterEntryId: z.string().nullable(),
  }),
  groupOf: ofAccount,
  concurrency: 16,
};

export type LookAt = z.output<typeof lookAtGuild.payload>;

export const lookLater = (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  { serverId, accountId, botId, guildId, afterEntryId }: LookAt,
  options?: EnqueueOptions,
): Promise<void> =>
  queue.enqueue(tx, lookAtGuild, { serverId, accountId, botId, guildId, afterEntryId }, options);

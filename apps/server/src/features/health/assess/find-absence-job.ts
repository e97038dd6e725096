import { z } from 'zod';
import { ofAccount } from '../../../queue/job.ts';

/** Enqueued for a server that was lost, to find out why. */
export const findAbsence = {
  name: 'health.find-absence',
  payload: z.object({
    accountId: z.guid(),
    serverId: z.guid(),
    guildId: z.string(),
    /** Whether the server was not lost before, so that its owner is to be told. */
    isNew: z.boolean(),
  }),
  groupOf: ofAccount,
  concurrency: 16,
};

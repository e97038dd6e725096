import { z } from 'zod';

/** Gives back the storage of what nothing refers to any more. */
export const freeAccount = {
  name: 'backups.free',
  payload: z.object({ userId: z.guid() }),
};

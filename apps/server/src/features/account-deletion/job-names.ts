import { z } from 'zod';

/** Erases in the background what a deleted account held. */
export const purgeAccount = {
  name: 'account.purge',
  payload: z.object({ accountId: z.guid() }),
};

/** Erases the last of it, once nothing needs the account's bots any more. */
export const finishAccount = {
  name: 'account.finish',
  payload: z.object({ accountId: z.guid(), attempt: z.int().min(0) }),
};

import { z } from 'zod';

/** Takes the erased out of everything that an account keeps. */
export const redactAccount = {
  name: 'backups.redact',
  payload: z.object({ accountId: z.guid() }),
};

/** Finds accounts whose backups still hold somebody who erased themselves. */
export const redactAccounts = { name: 'backups.redact-all', payload: z.object({}) };

/** Indexes who is in the objects that were stored before there was an index. */
export const indexPeople = { name: 'backups.index-people', payload: z.object({}) };

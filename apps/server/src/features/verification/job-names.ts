import { z } from 'zod';

/** Gives somebody who was verified their role, and tells the server's log channel. */
export const giveRole = {
  name: 'verification.grant',
  payload: z.object({ memberId: z.guid(), accountId: z.guid() }),
};

/** Gives tokens that are not kept back to the platform, and forgets them. */
export const releaseTokens = {
  name: 'verification.release',
  payload: z.object({ passageId: z.guid(), accountId: z.guid() }),
};

/** Forgets what is past its time. */
export const forgetPast = { name: 'verification.forget', payload: z.object({}) };

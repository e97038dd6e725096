import type { Queryable } from '../../db/connect.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import type { OAuthClient } from '../../platform/port-oauth.ts';
import { openCredential } from '../bots/sealed.ts';
import { findClient } from './queries.ts';

/**
 * The application that a token was given to; undefined where its bot is gone. A bot that is switched
 * off still has its application, and its members' tokens are kept alive.
 */
export const clientOf = async (
  { db, ring }: { db: Queryable; ring: KeyRing },
  owner: { userId: string; botId: string },
): Promise<OAuthClient | undefined> => {
  const bot = await findClient(db, owner);
  if (!bot) return undefined;
  return { clientId: bot.clientId, clientSecret: openCredential(ring, bot, 'clientSecret') };
};

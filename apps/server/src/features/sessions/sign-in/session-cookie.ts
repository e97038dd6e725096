import type { Context } from 'hono';
import type { Database } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { readCookie, writeCookie } from '../../../http/pages/cookies.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { type Session, touchSession } from '../queries.ts';

/** Its value is a random token, of which only the hash is stored. */
export const sessionCookie = 'session';

export const clearSessionCookie = (context: Context<HttpEnv>): void =>
  writeCookie(context, sessionCookie, '', 0);

/** The session of a request, if it has a valid one. */
export const findSession = async (
  context: Context<HttpEnv>,
  db: Database,
): Promise<Session | undefined> => {
  const token = readCookie(context, sessionCookie);
  return token ? touchSession(db, sha256Hex(token)) : undefined;
};

import { dashboardApiPrefix, wildcard } from '@holdfast/contract';
import type { Context } from 'hono';
import type { Database } from '../../../db/connect.ts';
import type { AuthScheme } from '../../../http/auth/auth-scheme.ts';
import type { HttpEnv } from '../../../http/context.ts';
import type { SecondFactor } from '../../../http/handler.ts';
import { readCookie } from '../../../http/pages/cookies.ts';
import { requireOwnOrigin } from '../../../http/pages/read-form.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { findAccountByPlatformId } from '../../accounts/queries.ts';
import { findSession, sessionCookie } from '../sign-in/session-cookie.ts';

/** Of one session, and of all sessions of an account. */
const requestsPerTenSeconds = { session: 200, account: 400 };

/**
 * The dashboard authenticates by the cookie of a session, which has all scopes. Browsers send a cookie
 * with every request, so every change must come from our own pages.
 */
export const sessionAuth = ({ db, baseUrl }: { db: Database; baseUrl: string }): AuthScheme => ({
  prefix: dashboardApiPrefix,
  credentialOf: (context) => readCookie(context, sessionCookie),
  async authenticate(context) {
    if (context.req.method !== 'GET') requireOwnOrigin(context, baseUrl);
    const found = await findOwnerSession(context, db);
    if (!found) return undefined;
    const { session, account } = found;
    const { id: accountId, plan, mfaEnabled } = account;
    return {
      ...{ id: session.id, accountId, plan },
      actor: { type: 'USER', id: accountId },
      scopes: [wildcard],
      expiresAt: null,
      secondFactor: secondFactorOf(mfaEnabled, session.isConfirmed),
    };
  },
  refuse: () => new HttpError(401, 'Sign in to the dashboard first'),
  budgetsOf: ({ id, accountId }) => [
    { id: `session:${id}`, limit: requestsPerTenSeconds.session },
    { id: `sessions of:${accountId}`, limit: requestsPerTenSeconds.account },
  ],
});

const secondFactorOf = (isOn: boolean, isShown: boolean): SecondFactor => {
  if (!isOn) return 'off';
  return isShown ? 'shown' : 'due';
};

/** Whether the dashboard would open; people who only look at `/me` have a session without an account. */
export const isSignedInOwner = async (context: Context<HttpEnv>, db: Database): Promise<boolean> =>
  (await findOwnerSession(context, db)) !== undefined;

/** The session of an owner, and their account. */
export const findOwnerSession = async (context: Context<HttpEnv>, db: Database) => {
  const session = await findSession(context, db);
  const account = session && (await findAccountByPlatformId(db, session.platformId));
  return session && account && { session, account };
};

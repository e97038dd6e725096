import { dashboardApiPrefix, wildcard } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import type { AuthScheme } from '../../../http/auth/auth-scheme.ts';
import { requireOwnOrigin } from '../../../http/pages/read-form.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { findAccountByPlatformId } from '../../accounts/queries.ts';
import { findSession } from '../sign-in/session-cookie.ts';

const requestsPerTenSeconds = 200;

/**
 * The dashboard authenticates by the cookie of a session, which has all scopes. Browsers send a cookie
 * with every request, so every change must come from our own pages.
 */
export const sessionAuth = ({ db, baseUrl }: { db: Database; baseUrl: string }): AuthScheme => ({
  prefix: dashboardApiPrefix,
  async authenticate(context) {
    if (context.req.method !== 'GET') requireOwnOrigin(context, baseUrl);
    const session = await findSession(context, db);
    if (!session) return undefined;
    const account = await findAccountByPlatformId(db, session.platformId);
    if (!account) return undefined;
    const { id: accountId, plan, mfaEnabled } = account;
    return {
      ...{ id: session.id, accountId, plan },
      actor: { type: 'USER', id: accountId },
      scopes: [wildcard],
      expiresAt: null,
      mustConfirm: mfaEnabled && !session.isConfirmed,
    };
  },
  refuse: () => new HttpError(401, 'Sign in to the dashboard first'),
  budgetsOf: ({ id }) => [{ id: `session:${id}`, limit: requestsPerTenSeconds }],
});

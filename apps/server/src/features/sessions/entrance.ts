import { dashboardApiPrefix, wildcard } from '@holdfast/contract';
import type { Database } from '../../db/connect.ts';
import type { Entrance } from '../../http/admission.ts';
import { requireOwnOrigin } from '../../http/pages/read-form.ts';
import { Refusal } from '../../kernel/errors.ts';
import { findUserByPlatformId } from '../accounts/queries.ts';
import { findSession } from './sign-in.tsx';

const requestsPerTenSeconds = 200;

/**
 * The dashboard's way to the handlers: its session's cookie speaks for the person, who may do all
 * that is theirs to do. A cookie goes along by itself, so every change must come from our own pages.
 */
export const bySession = ({ db, baseUrl }: { db: Database; baseUrl: string }): Entrance => ({
  prefix: dashboardApiPrefix,
  async authenticate(context) {
    if (context.req.method !== 'GET') requireOwnOrigin(context, baseUrl);
    const session = await findSession(context, db);
    if (!session) return undefined;
    const user = await findUserByPlatformId(db, session.platformId);
    if (!user) return undefined;
    const { id: accountId, plan, mfaEnabled } = user;
    return {
      ...{ id: session.id, accountId, plan },
      actor: { type: 'USER', id: accountId },
      scopes: [wildcard],
      expiresAt: null,
      mustConfirm: mfaEnabled && !session.isConfirmed,
    };
  },
  refuse: () => new Refusal(401, 'Sign in to the dashboard first'),
  budgetsOf: ({ id }) => [{ id: `session:${id}`, limit: requestsPerTenSeconds }],
});

import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../kernel/errors.ts';
import { findPlatformId } from '../accounts/queries.ts';
import { deleteSessionOf, deleteSessionsOfPerson, listActiveSessions } from './queries.ts';

type SessionEndpoints = Pick<DashboardEndpoints, 'listSessions' | 'endSession' | 'endAllSessions'>;

export const sessionHandlers: Handlers<SessionEndpoints> = {
  async listSessions(db, { account, caller }) {
    const sessions = await listActiveSessions(db, await findPlatformId(db, account.accountId));
    return sessions.map((session) => ({ ...session, isCurrent: session.id === caller.id }));
  },

  async endSession(tx, { account, params: { id } }) {
    const platformId = await findPlatformId(tx, account.accountId);
    if (!(await deleteSessionOf(tx, platformId, id))) throw notFound('Session');
    return { id, deleted: true };
  },

  async endAllSessions(tx, { account }) {
    const platformId = await findPlatformId(tx, account.accountId);
    return { ended: await deleteSessionsOfPerson(tx, platformId) };
  },
};

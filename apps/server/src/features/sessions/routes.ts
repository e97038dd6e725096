import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../kernel/errors.ts';
import { findPlatformId } from '../accounts/queries.ts';
import { recordAudit } from '../audit/queries.ts';
import { deleteSessionOf, deleteSessionsOfPerson, listActiveSessions } from './queries.ts';

type SessionEndpoints = Pick<DashboardEndpoints, 'listSessions' | 'endSession' | 'endAllSessions'>;

export const sessionHandlers: Handlers<SessionEndpoints> = {
  async listSessions(db, { account, caller }) {
    const sessions = await listActiveSessions(db, await findPlatformId(db, account.accountId));
    return sessions.map((session) => ({ ...session, isCurrent: session.id === caller.id }));
  },

  async endSession(tx, { account: { accountId }, actor, params: { id } }) {
    const platformId = await findPlatformId(tx, accountId);
    if (!(await deleteSessionOf(tx, platformId, id))) throw notFound('Session');
    const subject = { type: 'session', id };
    await recordAudit(tx, { accountId, actor, action: 'session.end', subject });
    return { id, deleted: true };
  },

  async endAllSessions(tx, { account: { accountId }, actor }) {
    const ended = await deleteSessionsOfPerson(tx, await findPlatformId(tx, accountId));
    const subject = { type: 'session', id: null };
    const change = { action: 'session.end_all', subject, changes: { ended } } as const;
    await recordAudit(tx, { accountId, actor, ...change });
    return { ended };
  },
};

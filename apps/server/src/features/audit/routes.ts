import type { auditEndpoints, DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { listEntries } from './queries.ts';
import { verifyChain } from './verify-chain.ts';

export const chainHandlers: Handlers<Pick<DashboardEndpoints, 'verifyAudit'>> = {
  async verifyAudit(db, { account }) {
    const { entries, intact, fault = null } = await verifyChain(db, account.userId);
    return { entries, intact, fault };
  },
};

export const auditHandlers: Handlers<typeof auditEndpoints> = {
  async listAudit(db, { account, query }) {
    const { rows, total } = await listEntries(db, account.userId, query);
    return {
      total,
      rows: rows.map((entry) => ({
        ...entry,
        actor: { type: entry.actorType, id: entry.actorId },
        subject: { type: entry.subjectType, id: entry.subjectId },
      })),
    };
  },
};

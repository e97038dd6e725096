import type { auditEndpoints, DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { verifyChain } from './chain/verify-chain.ts';
import { findEntries, listEntries } from './queries.ts';
import type { auditEntries } from './table.ts';

/** About as many as are verified in a second, since a request waits for it. */
const entriesPerRequest = 20_000;

export const auditDashboardHandlers: Handlers<
  Pick<DashboardEndpoints, 'verifyAudit' | 'findAudit'>
> = {
  async verifyAudit(db, { account, query: { after } }) {
    const part = { after, most: entriesPerRequest };
    const {
      entries,
      intact,
      fault = null,
      hasMore,
    } = await verifyChain(db, account.accountId, part);
    return { entries, intact, fault, isFinished: hasMore !== true };
  },

  async findAudit(db, { account, query }) {
    const { rows, total } = await findEntries(db, account.accountId, query);
    return { total, rows: rows.map(presentEntry) };
  },
};

export const auditHandlers: Handlers<typeof auditEndpoints> = {
  async listAudit(db, { account, query }) {
    const { rows, total } = await listEntries(db, account.accountId, query);
    return { total, rows: rows.map(presentEntry) };
  },
};

const presentEntry = (entry: typeof auditEntries.$inferSelect) => ({
  ...entry,
  actor: { type: entry.actorType, id: entry.actorId },
  subject: { type: entry.subjectType, id: entry.subjectId },
});

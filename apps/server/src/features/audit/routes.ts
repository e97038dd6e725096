import type { auditEndpoints, DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { findEntries, listEntries } from './queries.ts';
import type { auditEntries } from './table.ts';
import { verifyChain } from './verify-chain.ts';

/** About what can be looked at in a second: whoever asks waits for the answer. */
const entriesPerLook = 20_000;

type ForDashboard = Pick<DashboardEndpoints, 'verifyAudit' | 'findAudit'>;

export const chainHandlers: Handlers<ForDashboard> = {
  async verifyAudit(db, { account, query: { after } }) {
    const part = { after, most: entriesPerLook };
    const { entries, intact, fault = null, goesOn } = await verifyChain(db, account.accountId, part);
    return { entries, intact, fault, isFinished: goesOn !== true };
  },

  async findAudit(db, { account, query }) {
    const { rows, total } = await findEntries(db, account.accountId, query);
    return { total, rows: rows.map(shownEntry) };
  },
};

export const auditHandlers: Handlers<typeof auditEndpoints> = {
  async listAudit(db, { account, query }) {
    const { rows, total } = await listEntries(db, account.accountId, query);
    return { total, rows: rows.map(shownEntry) };
  },
};

const shownEntry = (entry: typeof auditEntries.$inferSelect) => ({
  ...entry,
  actor: { type: entry.actorType, id: entry.actorId },
  subject: { type: entry.subjectType, id: entry.subjectId },
});

import type { blacklistEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../audit/queries.ts';
import { deleteEntry, insertEntry, listEntries } from './queries.ts';

/** Marks the person's members, which a higher layer owns, when their entry is added or deleted. */
type MarkMembers = (
  tx: Transaction,
  person: { accountId: string; platformId: string },
  blacklisted: boolean,
) => Promise<void>;

export const blacklistHandlers = (
  markMembers: MarkMembers,
): Handlers<typeof blacklistEndpoints> => ({
  async createBlacklistEntry(tx, { account, actor, body }) {
    const { accountId } = account;
    const { platformId, reason = null } = body;
    const entry = await insertEntry(tx, { id: newId(), accountId, platformId, reason });
    if (!entry) throw conflict('This platform user is already blacklisted');
    await markMembers(tx, { accountId, platformId }, true);
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'blacklist.create',
      subject: { type: 'blacklistEntry', id: entry.id },
      changes: { platformId, reason },
    });
    return entry;
  },

  listBlacklist: (db, { account, query }) => listEntries(db, account.accountId, query),

  async deleteBlacklistEntry(tx, { account, actor, query }) {
    const { accountId } = account;
    const entry = await deleteEntry(tx, query.entryId, accountId);
    if (!entry) throw notFound('Blacklist entry');
    await markMembers(tx, { accountId, platformId: entry.platformId }, false);
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'blacklist.delete',
      subject: { type: 'blacklistEntry', id: entry.id },
      changes: { platformId: entry.platformId },
    });
    return { id: entry.id, deleted: true };
  },
});

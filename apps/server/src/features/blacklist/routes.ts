import type { blacklistEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../audit/queries.ts';
import { deleteEntry, insertEntry, listEntries } from './queries.ts';

/** Tells the members above that someone of theirs came onto the list or left it. */
type MarkMembers = (
  tx: Transaction,
  person: { userId: string; platformId: string },
  blacklisted: boolean,
) => Promise<void>;

export const blacklistHandlers = (
  markMembers: MarkMembers,
): Handlers<typeof blacklistEndpoints> => ({
  async createBlacklistEntry(tx, { account, actor, body }) {
    const { userId } = account;
    const { platformId, reason = null } = body;
    const entry = await insertEntry(tx, { id: newId(), userId, platformId, reason });
    if (!entry) throw conflict('This platform user is already blacklisted');
    await markMembers(tx, { userId, platformId }, true);
    await recordAudit(tx, {
      userId,
      actor,
      action: 'blacklist.create',
      subject: { type: 'blacklistEntry', id: entry.id },
      changes: { platformId, reason },
    });
    return entry;
  },

  listBlacklist: (db, { account, query }) => listEntries(db, account.userId, query),

  async deleteBlacklistEntry(tx, { account, actor, query }) {
    const { userId } = account;
    const entry = await deleteEntry(tx, query.entryId, userId);
    if (!entry) throw notFound('Blacklist entry');
    await markMembers(tx, { userId, platformId: entry.platformId }, false);
    await recordAudit(tx, {
      userId,
      actor,
      action: 'blacklist.delete',
      subject: { type: 'blacklistEntry', id: entry.id },
      changes: { platformId: entry.platformId },
    });
    return { id: entry.id, deleted: true };
  },
});

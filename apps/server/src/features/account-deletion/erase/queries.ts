import { and, eq, exists, isNull, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { blobs, erasures, storageUsed } from '../../backups/table.ts';
import {
  billingCustomers,
  billingInvoices,
  billingNotices,
  subscriptions,
} from '../../billing/table.ts';
import { blacklist } from '../../blacklist/table.ts';
import { bots } from '../../bots/table.ts';
import { listings, templates } from '../../marketplace/table.ts';
import { servers } from '../../servers/table.ts';
import { deleteFactor } from '../../sessions/second-factor/queries.ts';
import { forgetHashKey } from '../../accounts/queries.ts';
import { accounts } from '../../accounts/table.ts';
import { memberTokens } from '../../vault/table.ts';

/** All of them are marked deleted. */
export const listServersLeft = (db: Queryable, accountId: string) =>
  db.select({ id: servers.id }).from(servers).where(eq(servers.accountId, accountId));

export const listSomeTokenOwners = (db: Queryable, accountId: string, most: number) =>
  db
    .select({ platformId: memberTokens.platformId, botId: memberTokens.botId })
    .from(memberTokens)
    .where(eq(memberTokens.accountId, accountId))
    .limit(most);

/** Gives the ids of what they held. */
export const deleteTemplates = (tx: Transaction, accountId: string) =>
  tx.delete(templates).where(eq(templates.accountId, accountId)).returning({ id: templates.id });

/** What the account wrote and what tells who its person is, but for what the rest of the purge needs. */
export const eraseContents = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx.delete(blacklist).where(eq(blacklist.accountId, accountId));
  await deleteFactor(tx, accountId);
  // Orders refer to the row of what was bought.
  await tx
    .update(listings)
    .set({ title: 'Deleted listing', description: '', backupId: null })
    .where(eq(listings.sellerId, accountId));
  await tx
    .update(billingCustomers)
    .set({ accountId: null })
    .where(eq(billingCustomers.accountId, accountId));
  await tx.update(subscriptions).set({ customerId: null }).where(eq(subscriptions.accountId, accountId));
  await tx.update(billingInvoices).set({ payUrl: null }).where(eq(billingInvoices.accountId, accountId));
  await tx
    .delete(billingNotices)
    .where(and(eq(billingNotices.accountId, accountId), isNull(billingNotices.sentAt)));
};

/** Servers that are still being purged, objects that are still being deleted, tokens not yet revoked. */
export const hasRemains = async (db: Queryable, accountId: string): Promise<boolean> => {
  const remains = [servers, blobs, memberTokens].map((table) =>
    exists(db.select({ one: sql`1` }).from(table).where(eq(table.accountId, accountId))),
  );
  const found = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), or(...remains)));
  return found.length > 0;
};

/** The last of it: all that needed the bots and the hash key is done. */
export const eraseRest = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx.delete(bots).where(eq(bots.accountId, accountId));
  await tx.delete(erasures).where(eq(erasures.accountId, accountId));
  await tx.delete(storageUsed).where(eq(storageUsed.accountId, accountId));
  await forgetHashKey(tx, accountId);
};

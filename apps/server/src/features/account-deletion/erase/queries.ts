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
import { forgetHashKey } from '../../users/queries.ts';
import { users } from '../../users/table.ts';
import { memberTokens } from '../../vault/table.ts';

/** All of them are marked deleted. */
export const listServersLeft = (db: Queryable, userId: string) =>
  db.select({ id: servers.id }).from(servers).where(eq(servers.userId, userId));

export const listSomeTokenOwners = (db: Queryable, userId: string, most: number) =>
  db
    .select({ platformId: memberTokens.platformId, botId: memberTokens.botId })
    .from(memberTokens)
    .where(eq(memberTokens.userId, userId))
    .limit(most);

/** Gives the ids of what they held. */
export const deleteTemplates = (tx: Transaction, userId: string) =>
  tx.delete(templates).where(eq(templates.userId, userId)).returning({ id: templates.id });

/** What the account wrote and what tells who its person is, but for what the rest of the purge needs. */
export const eraseContents = async (tx: Transaction, userId: string): Promise<void> => {
  await tx.delete(blacklist).where(eq(blacklist.userId, userId));
  await deleteFactor(tx, userId);
  // Orders refer to the row of what was bought.
  await tx
    .update(listings)
    .set({ title: 'Deleted listing', description: '', backupId: null })
    .where(eq(listings.sellerId, userId));
  await tx
    .update(billingCustomers)
    .set({ userId: null })
    .where(eq(billingCustomers.userId, userId));
  await tx.update(subscriptions).set({ customerId: null }).where(eq(subscriptions.userId, userId));
  await tx.update(billingInvoices).set({ payUrl: null }).where(eq(billingInvoices.userId, userId));
  await tx
    .delete(billingNotices)
    .where(and(eq(billingNotices.userId, userId), isNull(billingNotices.sentAt)));
};

/** Servers that are still being purged, objects that are still being deleted, tokens not yet revoked. */
export const hasRemains = async (db: Queryable, userId: string): Promise<boolean> => {
  const remains = [servers, blobs, memberTokens].map((table) =>
    exists(db.select({ one: sql`1` }).from(table).where(eq(table.userId, userId))),
  );
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), or(...remains)));
  return found.length > 0;
};

/** The last of it: all that needed the bots and the hash key is done. */
export const eraseRest = async (tx: Transaction, userId: string): Promise<void> => {
  await tx.delete(bots).where(eq(bots.userId, userId));
  await tx.delete(erasures).where(eq(erasures.userId, userId));
  await tx.delete(storageUsed).where(eq(storageUsed.userId, userId));
  await forgetHashKey(tx, userId);
};

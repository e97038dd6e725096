import { and, asc, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { auditEntries } from '../audit/table.ts';
import { billingInvoices, subscriptions } from '../billing/table.ts';
import { blacklist } from '../blacklist/table.ts';
import { bots } from '../bots/table.ts';
import { apiKeys } from '../keys/table.ts';
import { listings, orders, payouts } from '../marketplace/table.ts';
import { servers } from '../servers/table.ts';
import { users } from '../users/table.ts';
import { memberTokens } from '../vault/table.ts';

/** Nobody begins or ends anything for the account meanwhile: whoever writes holds its row, too. */
export const lockWholeAccount = async (tx: Transaction, userId: string) => {
  const [user] = await tx
    .select({ username: users.username, platformId: users.platformId })
    .from(users)
    .where(eq(users.id, userId))
    .for('update');
  return user;
};

const isPartyOf = (userId: string) => or(eq(orders.buyerId, userId), eq(orders.sellerId, userId));

export const countOpenOrders = (db: Queryable, userId: string): Promise<number> =>
  db.$count(orders, and(isPartyOf(userId), inArray(orders.status, ['PAID', 'FULFILLING'])));

export const countPendingPayouts = (db: Queryable, userId: string): Promise<number> =>
  db.$count(payouts, and(eq(payouts.userId, userId), eq(payouts.status, 'PENDING')));

export const listPendingOrders = (tx: Transaction, userId: string) =>
  tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(isPartyOf(userId), eq(orders.status, 'PENDING')))
    .orderBy(asc(orders.id));

export const unpublishListings = async (tx: Transaction, userId: string): Promise<void> => {
  await tx
    .update(listings)
    .set({ isPublished: false, updatedAt: sql`now()` })
    .where(and(eq(listings.sellerId, userId), eq(listings.isPublished, true)));
};

/** Those that the card provider would charge again. */
export const listCardSubscriptions = (tx: Transaction, userId: string) =>
  tx
    .select({ providerRef: subscriptions.providerRef })
    .from(subscriptions)
    .where(
      and(
        ...[eq(subscriptions.userId, userId), eq(subscriptions.provider, 'CARD')],
        ...[ne(subscriptions.status, 'CANCELLED'), ne(subscriptions.status, 'EXPIRED')],
        sql`${subscriptions.providerRef} not like 'prepaid:%'`,
      ),
    );

/** Checkouts of plans at which somebody could still begin to pay. */
export const listOpenCheckouts = (tx: Transaction, userId: string) =>
  tx
    .select({ checkoutRef: sql<string>`${billingInvoices.providerRef}` })
    .from(billingInvoices)
    .where(
      and(
        ...[eq(billingInvoices.userId, userId), eq(billingInvoices.payWith, 'CARD')],
        ...[isNull(billingInvoices.paidAt), isNotNull(billingInvoices.providerRef)],
      ),
    );

export const deleteKeys = (tx: Transaction, userId: string) =>
  tx.delete(apiKeys).where(eq(apiKeys.userId, userId)).returning({ hash: apiKeys.hash });

/** What is kept of the account refers to this row; it names nobody, and its person is free to sign in anew. */
export const forgetPerson = async (tx: Transaction, userId: string): Promise<void> => {
  await tx
    .update(users)
    .set({
      ...{ platformId: sql`'deleted:' || ${users.id}`, username: 'deleted', displayName: null },
      ...{ avatarUrl: null, email: null, plan: 'FREE', mfaEnabled: false, updatedAt: sql`now()` },
    })
    .where(eq(users.id, userId));
};

/** Servers of the account that are not being purged yet. */
export const listServersToPurge = (db: Queryable, userId: string) =>
  db
    .select({ id: servers.id })
    .from(servers)
    .where(and(eq(servers.userId, userId), isNull(servers.deletedAt)));

export const countServersLeft = (db: Queryable, userId: string): Promise<number> =>
  db.$count(servers, eq(servers.userId, userId));

export const listSomeTokenOwners = (db: Queryable, userId: string, most: number) =>
  db
    .select({ platformId: memberTokens.platformId, botId: memberTokens.botId })
    .from(memberTokens)
    .where(eq(memberTokens.userId, userId))
    .limit(most);

/** What was said stays unsaid; that it was said, and in which order, the hashes still show. */
export const blankAudit = async (db: Queryable, userId: string): Promise<void> => {
  await db
    .update(auditEntries)
    .set({ changes: {}, subjectId: null })
    .where(eq(auditEntries.userId, userId));
};

/** The last of it: all that needed the bots is done. */
export const eraseRest = async (tx: Transaction, userId: string): Promise<void> => {
  await tx.delete(blacklist).where(eq(blacklist.userId, userId));
  await tx.delete(bots).where(eq(bots.userId, userId));
  await tx.update(users).set({ hashKey: null }).where(eq(users.id, userId));
};

export const isDeletedAccount = async (db: Queryable, userId: string): Promise<boolean> => {
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), sql`${users.platformId} like 'deleted:%'`));
  return found.length > 0;
};

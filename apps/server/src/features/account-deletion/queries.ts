import { and, asc, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { idempotentAnswers } from '../../http/table.ts';
import { billingInvoices, subscriptions } from '../billing/table.ts';
import { apiKeys } from '../keys/table.ts';
import { listings, orders, payouts } from '../marketplace/table.ts';
import { sessions } from '../sessions/table.ts';

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

/** Those that the card provider could charge again: one that is paused, too, which counts as expired. */
export const listCardSubscriptions = (tx: Transaction, userId: string) =>
  tx
    .select({ providerRef: subscriptions.providerRef })
    .from(subscriptions)
    .where(
      and(
        ...[eq(subscriptions.userId, userId), eq(subscriptions.provider, 'CARD')],
        ne(subscriptions.status, 'CANCELLED'),
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

/** Gives the hashes of the keys that are no more. */
export const deleteKeys = async (tx: Transaction, userId: string): Promise<string[]> => {
  const gone = await tx
    .delete(apiKeys)
    .where(eq(apiKeys.userId, userId))
    .returning({ hash: apiKeys.hash });
  return gone.map(({ hash }) => hash);
};

/** Before the keys and sessions go that the answers are kept for. */
export const deleteKeptAnswers = async (
  tx: Transaction,
  { userId, platformId }: { userId: string; platformId: string },
): Promise<void> => {
  const keys = tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.userId, userId));
  const ofPerson = eq(sessions.platformId, platformId);
  const own = tx.select({ id: sessions.id }).from(sessions).where(ofPerson);
  const { callerId } = idempotentAnswers;
  await tx.delete(idempotentAnswers).where(or(inArray(callerId, keys), inArray(callerId, own)));
};

/** What the title of an order is when the one it had named a person whose account is deleted. */
const neutralTitle = 'Deleted listing';

/**
 * An order is a record of both its parties, so it keeps the title of what was bought, unless that names
 * the person whose account is deleted.
 */
export const renameTellingOrders = async (
  tx: Transaction,
  userId: string,
  person: { platformId: string; username: string; displayName: string | null },
): Promise<void> => {
  const names = [person.platformId, person.username, person.displayName];
  const isNamed = names.flatMap((name) =>
    name ? [sql`strpos(lower(${orders.listingTitle}), lower(${name})) > 0`] : [],
  );
  await tx
    .update(orders)
    .set({ listingTitle: neutralTitle })
    .where(and(isPartyOf(userId), or(...isNamed)));
};

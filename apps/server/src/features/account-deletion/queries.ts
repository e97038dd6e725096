import { and, asc, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { idempotentAnswers } from '../../http/table.ts';
import { billingInvoices, subscriptions } from '../billing/table.ts';
import { apiKeys } from '../keys/table.ts';
import { listings, orders, payouts } from '../marketplace/table.ts';
import { sessions } from '../sessions/table.ts';

const isPartyOf = (accountId: string) => or(eq(orders.buyerId, accountId), eq(orders.sellerId, accountId));

export const countOpenOrders = (db: Queryable, accountId: string): Promise<number> =>
  db.$count(orders, and(isPartyOf(accountId), inArray(orders.status, ['PAID', 'FULFILLING'])));

export const countPendingPayouts = (db: Queryable, accountId: string): Promise<number> =>
  db.$count(payouts, and(eq(payouts.accountId, accountId), eq(payouts.status, 'PENDING')));

export const listPendingOrders = (tx: Transaction, accountId: string) =>
  tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(isPartyOf(accountId), eq(orders.status, 'PENDING')))
    .orderBy(asc(orders.id));

export const unpublishListings = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx
    .update(listings)
    .set({ isPublished: false, updatedAt: sql`now()` })
    .where(and(eq(listings.sellerId, accountId), eq(listings.isPublished, true)));
};

/** Those that the card provider could charge again: one that is paused, too, which counts as expired. */
export const listCardSubscriptions = (tx: Transaction, accountId: string) =>
  tx
    .select({ providerRef: subscriptions.providerRef })
    .from(subscriptions)
    .where(
      and(
        ...[eq(subscriptions.accountId, accountId), eq(subscriptions.provider, 'CARD')],
        ne(subscriptions.status, 'CANCELLED'),
        sql`${subscriptions.providerRef} not like 'prepaid:%'`,
      ),
    );

/** Checkouts of plans at which somebody could still begin to pay. */
export const listOpenCheckouts = (tx: Transaction, accountId: string) =>
  tx
    .select({ checkoutRef: sql<string>`${billingInvoices.providerRef}` })
    .from(billingInvoices)
    .where(
      and(
        ...[eq(billingInvoices.accountId, accountId), eq(billingInvoices.payWith, 'CARD')],
        ...[isNull(billingInvoices.paidAt), isNotNull(billingInvoices.providerRef)],
      ),
    );

/** Gives the hashes of the keys that are no more. */
export const deleteKeys = async (tx: Transaction, accountId: string): Promise<string[]> => {
  const gone = await tx
    .delete(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .returning({ hash: apiKeys.hash });
  return gone.map(({ hash }) => hash);
};

/** Before the keys and sessions go that the answers are kept for. */
export const deleteKeptAnswers = async (
  tx: Transaction,
  { accountId, platformId }: { accountId: string; platformId: string },
): Promise<void> => {
  const keys = tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.accountId, accountId));
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
  accountId: string,
  person: { platformId: string; username: string; displayName: string | null },
): Promise<void> => {
  const names = [person.platformId, person.username, person.displayName];
  const isNamed = names.flatMap((name) =>
    name ? [sql`strpos(lower(${orders.listingTitle}), lower(${name})) > 0`] : [],
  );
  await tx
    .update(orders)
    .set({ listingTitle: neutralTitle })
    .where(and(isPartyOf(accountId), or(...isNamed)));
};

import type { Database, Transaction } from '../../../db/connect.ts';
import type { Account, Actor } from '../../../http/handler.ts';
import { conflict, notAllowed, Refusal } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { askProvider, type PayProviders } from '../../billing/pay/ask-provider.ts';
import type { Offer } from '../../billing/pay/provider.ts';
import { findPlan, holdAccount, lockUser } from '../../accounts/queries.ts';
import { findListing } from '../listings/queries.ts';
import { deliveryTypeOf, feeOf } from '../rules.ts';
import type { MarketTools } from '../tools.ts';
import { type CheckedOrder, checkOrder, type OrderWish } from './check-order.ts';
import { buyerEntry } from './entries.ts';
import { holdMoney } from './money.ts';
import { countPending, insertOrder, type StoredOrder } from './queries.ts';
import { settlePaid } from './settle.ts';

export type CreateOrderTools = MarketTools & { providers: PayProviders };

/** So that nobody has the providers make checkouts without end. */
const mostPending = 50;
const fullWords = `${mostPending} of your orders wait to be paid already: pay or cancel one first`;

type Checkout = Offer & { totalCents: number };

/** Asks a provider for a checkout, where one is needed; the order itself is placed in the transaction. */
export const prepareOrder = async (
  db: Database,
  tools: CreateOrderTools,
  account: Account,
  wish: OrderWish,
) => {
  const orderId = newId();
  const { accountId } = account;
  const checkout = await prepareCheckout(db, tools, { ...account, orderId }, wish);

  return async (tx: Transaction, actor: Actor): Promise<StoredOrder> => {
    await holdSeller(tx, wish);
    const checked = await checkOrder(tx, account, wish);
    if ('refusal' in checked) throw checked.refusal;
    const isPaidLater = wish.payWith !== 'BALANCE' && checked.totalCents > 0;
    const offer = isPaidLater ? await requireOffer(tx, accountId, checkout, checked) : undefined;
    const order = await store(tx, tools, { orderId, accountId, wish, offer }, checked);
    const cause = { actor, accountId };
    const { listingId, quantity, totalCents, feeCents, currency, payWith } = order;
    const changes = { listingId, quantity, totalCents, feeCents, currency, payWith };
    const placed = buyerEntry(order, cause, { action: 'order.create', changes });
    if (offer) {
      await recordAudits(tx, [placed]);
      return order;
    }
    if (!(await holdMoney(tx, order, 'BALANCE'))) throw notAllowed('Your balance is too small');
    const paid = await settlePaid(tx, tools, order, cause);
    await recordAudits(tx, [placed, ...paid.entries]);
    return paid.order;
  };
};

/**
 * The seller's account cannot be deleted from here on. Held before the order is checked: a deletion that
 * was first has unpublished the listing by then. The buyer's is held with every change.
 */
const holdSeller = async (tx: Transaction, { listingId }: OrderWish): Promise<void> => {
  const listing = await findListing(tx, listingId);
  if (listing) await holdAccount(tx, listing.sellerId);
};

/** Undefined where there is nothing to check out, or where the transaction will refuse it anyway. */
const prepareCheckout = async (
  db: Database,
  { providers }: CreateOrderTools,
  buyer: Account & { orderId: string },
  wish: OrderWish,
): Promise<Checkout | Refusal | undefined> => {
  const { payWith } = wish;
  if (payWith === 'BALANCE') return undefined;
  const checked = await checkOrder(db, buyer, wish);
  if ('refusal' in checked || checked.totalCents === 0) return undefined;
  const { accountId, orderId } = buyer;
  if ((await countPending(db, accountId)) >= mostPending) return conflict(fullWords);
  const { listing, totalCents } = checked;
  const demand = { orderId, accountId, title: listing.title, amountCents: totalCents };
  const offer = await askProvider(db, providers, payWith, demand);
  return 'refusal' in offer ? conflict(offer.refusal) : { ...offer, totalCents };
};

/** One that is for what it costs by now. */
const requireOffer = async (
  tx: Transaction,
  accountId: string,
  checkout: Checkout | Refusal | undefined,
  { totalCents }: CheckedOrder,
): Promise<Offer> => {
  if (checkout instanceof Refusal) throw checkout;
  if (checkout?.totalCents !== totalCents) {
    throw conflict('The listing has changed in this moment: order again');
  }
  await lockUser(tx, accountId);
  if ((await countPending(tx, accountId)) >= mostPending) throw conflict(fullWords);
  return checkout;
};

type Placed = { orderId: string; accountId: string; wish: OrderWish; offer: Offer | undefined };

/** The price and the fee, which is that of the seller's plan, are settled here. */
const store = async (
  tx: Transaction,
  { limitsOf }: CreateOrderTools,
  { orderId: id, accountId: buyerId, wish, offer }: Placed,
  { listing, totalCents }: CheckedOrder,
): Promise<StoredOrder> => {
  const { sellerId, currency, priceCents: unitPriceCents } = listing;
  const { marketplaceFeePercent } = limitsOf((await findPlan(tx, sellerId)) ?? 'FREE');
  return insertOrder(tx, {
    ...{ id, buyerId, sellerId, listingId: listing.id, listingTitle: listing.title },
    ...{ unitPriceCents, totalCents, feeCents: feeOf(totalCents, marketplaceFeePercent), currency },
    ...{ quantity: wish.quantity, payWith: wish.payWith, serverId: wish.serverId ?? null },
    deliveryType: deliveryTypeOf(listing.category),
    checkoutUrl: offer?.payUrl ?? null,
    checkoutRef: offer?.providerRef ?? null,
    expiresAt: offer?.expiresAt ?? null,
  });
};

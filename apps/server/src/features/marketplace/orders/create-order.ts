import type { Plan, PlanName } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import type { Account, Actor } from '../../../http/handler.ts';
import { conflict, HttpError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { findPlan, holdAccount, lockAccount } from '../../accounts/queries.ts';
import { recordAudits } from '../../audit/queries.ts';
import {
  type Checkout,
  type CheckoutProviders,
  openCheckout,
} from '../../billing/checkout/open-checkout.ts';
import { findListing } from '../queries/listings.ts';
import {
  countPendingOrders,
  hasOpenFreeOrder,
  insertOrder,
  type StoredOrder,
} from '../queries/orders.ts';
import { deliveryTypeOf, feeOf } from '../rules.ts';
import { buyerEntry } from './audit-entries.ts';
import { type CheckedOrder, checkOrder, type OrderRequest } from './check-order.ts';
import { type PayDependencies, payOrder } from './pay-order.ts';

export type CreateOrderDependencies = PayDependencies & {
  providers: CheckoutProviders;
  limitsOf(plan: PlanName): Plan;
};

/** Bounds the checkouts that an account can make at the providers. */
const maxPendingOrders = 50;
const tooManyMessage = `${maxPendingOrders} of your orders wait to be paid already: pay or cancel one first`;

type PricedCheckout = Checkout & { totalCents: number };

/** Opens a checkout at the provider, if one is needed; the returned function places the order. */
export const prepareOrder = async (
  db: Database,
  dependencies: CreateOrderDependencies,
  account: Account,
  request: OrderRequest,
) => {
  const orderId = newId();
  const { accountId } = account;
  const checkout = await prepareCheckout(db, dependencies, { ...account, orderId }, request);

  return async (tx: Transaction, actor: Actor): Promise<StoredOrder> => {
    await holdSeller(tx, request);
    const checked = await checkOrder(tx, account, request);
    if ('refusal' in checked) throw checked.refusal;
    if (checked.totalCents === 0) await requireNoneOpen(tx, accountId, request);
    const isPaidLater = request.payWith !== 'BALANCE' && checked.totalCents > 0;
    const opened = isPaidLater
      ? await requireCheckout(tx, accountId, checkout, checked)
      : undefined;
    const placement = { orderId, accountId, request, checkout: opened };
    const order = await storeOrder(tx, dependencies, placement, checked);
    const cause = { actor, accountId };
    const { listingId, quantity, totalCents, feeCents, currency, payWith } = order;
    const changes = { listingId, quantity, totalCents, feeCents, currency, payWith };
    const placed = buyerEntry(order, cause, { action: 'order.create', changes });
    if (opened) {
      await recordAudits(tx, [placed]);
      return order;
    }
    const paid = await payOrder(tx, dependencies, order, { paidWith: 'BALANCE', cause });
    await recordAudits(tx, [placed, ...paid.entries]);
    return paid.order;
  };
};

/**
 * Keeps the seller's account from being deleted meanwhile. It comes before the check of the order, so that
 * after an earlier deletion the check finds the listing unpublished. Every change holds the buyer's account.
 */
const holdSeller = async (tx: Transaction, { listingId }: OrderRequest): Promise<void> => {
  const listing = await findListing(tx, listingId);
  if (listing) await holdAccount(tx, listing.sellerId);
};

/** Whatever is free could be ordered without end otherwise, and its seller has to deliver or decline each. */
const requireNoneOpen = async (
  tx: Transaction,
  buyerId: string,
  { listingId }: OrderRequest,
): Promise<void> => {
  await lockAccount(tx, buyerId);
  if (!(await hasOpenFreeOrder(tx, { buyerId, listingId }))) return;
  throw conflict('You have ordered this already, and it is not delivered yet');
};

/** Undefined where no checkout is needed, or where the transaction will refuse the order anyway. */
const prepareCheckout = async (
  db: Database,
  { providers }: CreateOrderDependencies,
  buyer: Account & { orderId: string },
  request: OrderRequest,
): Promise<PricedCheckout | HttpError | undefined> => {
  const { payWith } = request;
  if (payWith === 'BALANCE') return undefined;
  const checked = await checkOrder(db, buyer, request);
  if ('refusal' in checked || checked.totalCents === 0) return undefined;
  const { accountId, orderId } = buyer;
  if ((await countPendingOrders(db, accountId)) >= maxPendingOrders)
    return conflict(tooManyMessage);
  const { listing, totalCents } = checked;
  const checkout = await openCheckout(db, providers, payWith, {
    ...{ orderId, accountId, title: listing.title, amountCents: totalCents },
  });
  return 'refusal' in checkout ? conflict(checkout.refusal) : { ...checkout, totalCents };
};

/** The checkout must be for the current price. */
const requireCheckout = async (
  tx: Transaction,
  accountId: string,
  checkout: PricedCheckout | HttpError | undefined,
  { totalCents }: CheckedOrder,
): Promise<Checkout> => {
  if (checkout instanceof HttpError) throw checkout;
  if (checkout?.totalCents !== totalCents) {
    throw conflict('The listing has changed in this moment: order again');
  }
  await lockAccount(tx, accountId);
  if ((await countPendingOrders(tx, accountId)) >= maxPendingOrders) throw conflict(tooManyMessage);
  return checkout;
};

type Placement = {
  orderId: string;
  accountId: string;
  request: OrderRequest;
  checkout: Checkout | undefined;
};

/** Fixes the price, and the fee of the seller's plan. */
const storeOrder = async (
  tx: Transaction,
  { limitsOf }: CreateOrderDependencies,
  { orderId: id, accountId: buyerId, request, checkout }: Placement,
  { listing, totalCents }: CheckedOrder,
): Promise<StoredOrder> => {
  const { sellerId, currency, priceCents: unitPriceCents } = listing;
  const { marketplaceFeePercent } = limitsOf((await findPlan(tx, sellerId)) ?? 'FREE');
  return insertOrder(tx, {
    ...{ id, buyerId, sellerId, listingId: listing.id, listingTitle: listing.title },
    ...{ unitPriceCents, totalCents, feeCents: feeOf(totalCents, marketplaceFeePercent), currency },
    ...{ quantity: request.quantity, payWith: request.payWith, serverId: request.serverId ?? null },
    deliveryType: deliveryTypeOf(listing.category),
    checkoutUrl: checkout?.payUrl ?? null,
    checkoutRef: checkout?.providerRef ?? null,
    expiresAt: checkout?.expiresAt ?? null,
  });
};

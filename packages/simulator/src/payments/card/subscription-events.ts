import { newCardId } from './card-id.ts';
import { type CardEvent, eventOf } from './event.ts';
import { invoiceObject } from './invoice-objects.ts';
import { paymentIntentOf, subscriptionObject } from './objects.ts';
import type { Session } from './session.ts';
import {
  currentInvoice,
  dueOf,
  endOfPeriod,
  type Invoice,
  type LineItem,
  periodInvoice,
  prorationInvoice,
  type Subscription,
  totalOfInvoice,
} from './subscription.ts';

export const beginSubscription = (session: Session, now: number): Subscription => {
  session.customerId ??= newCardId('cus');
  const items = session.items.filter(({ recurring }) => recurring);
  const period = { items, periodStart: now, periodEnd: endOfPeriod(items, now) };
  session.subscription ??= {
    id: newCardId('sub'),
    itemId: newCardId('si'),
    customerId: session.customerId,
    customerEmail: session.customerEmail,
    currency: session.currency,
    metadata: session.subscriptionMetadata,
    status: 'incomplete',
    createdAt: now,
    ...period,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    endedAt: null,
    schedule: null,
    isCardDeclined: false,
    account: session.account,
    origin: new URL(session.url).origin,
    // Prices that are charged once are on the first invoice too.
    invoices: [periodInvoice({ ...period, items: session.items }, 'subscription_create', now)],
  };
  return session.subscription;
};

/** The customer's credit is used first. What is negative becomes credit. */
export const payInvoice = (
  session: Session,
  subscription: Subscription,
  invoice: Invoice,
): void => {
  const { account } = subscription;
  invoice.lines.push(...account.pending.splice(0));
  const total = totalOfInvoice(invoice);
  invoice.balanceUsed = total < 0 ? 0 : Math.max(account.balance, -total);
  account.balance += total < 0 ? total : -invoice.balanceUsed;
  invoice.attempts += 1;
  invoice.isPaid = true;
  const due = dueOf(invoice);
  if (due === 0) return;
  session.charge = { id: newCardId('ch'), amount: due, refunded: 0 };
  invoice.paymentIntent = paymentIntentOf(session.charge);
};

/** The end of the period: the next one is paid, or a cancelled subscription ends. */
export const renew = (session: Session, subscription: Subscription, now: number): CardEvent[] => {
  const isOpen = subscription.status === 'past_due';
  if (!isOpen && subscription.cancelAtPeriodEnd) return endSubscription(subscription, now);
  if (!isOpen) beginPeriod(subscription, now);
  subscription.status = 'active';
  const invoice = currentInvoice(subscription);
  payInvoice(session, subscription, invoice);
  return [
    eventOf('customer.subscription.updated', subscriptionObject(subscription), now),
    eventOf('invoice.payment_succeeded', invoiceObject(subscription, invoice, now), now),
  ];
};

export const failRenewal = (subscription: Subscription, now: number): CardEvent[] => {
  const isOpen = subscription.status === 'past_due';
  if (!isOpen && subscription.cancelAtPeriodEnd) return endSubscription(subscription, now);
  // The new period begins even if it is not paid; a further attempt is for the same invoice.
  if (!isOpen) beginPeriod(subscription, now);
  subscription.status = 'past_due';
  const invoice = currentInvoice(subscription);
  invoice.attempts += 1;
  return [
    eventOf('invoice.payment_failed', invoiceObject(subscription, invoice, now), now),
    eventOf('customer.subscription.updated', subscriptionObject(subscription), now),
  ];
};

export const endSubscription = (subscription: Subscription, now: number): CardEvent[] => {
  subscription.status = 'canceled';
  subscription.endedAt = now;
  subscription.canceledAt ??= now;
  subscription.schedule = null;
  return [eventOf('customer.subscription.deleted', subscriptionObject(subscription), now)];
};

/**
 * By the merchant, at once. `prorate` makes a credit of the time that is not used: an item of the customer's
 * next invoice, or with `invoiceNow` an invoice of its own, which adds it to their balance.
 */
export const cancelSubscription = (
  session: Session,
  subscription: Subscription,
  { prorate, invoiceNow }: { prorate: boolean; invoiceNow: boolean },
  now: number,
): CardEvent[] => {
  const invoice = prorate ? prorationInvoice(subscription, [], now) : undefined;
  const ended = endSubscription(subscription, now);
  if (!invoice) return ended;
  if (!invoiceNow) {
    subscription.account.pending.push(...invoice.lines);
    return ended;
  }
  subscription.invoices.push(invoice);
  payInvoice(session, subscription, invoice);
  const paid = invoiceObject(subscription, invoice, now);
  return [...ended, eventOf('invoice.payment_succeeded', paid, now)];
};

type SubscriptionChange = {
  items?: LineItem[];
  metadata?: Record<string, string>;
  cancelAtPeriodEnd?: boolean;
  prorationBehavior: 'always_invoice' | 'create_prorations' | 'none';
};

/** An update by the merchant. `declined`: its invoice cannot be paid, and nothing changes. */
export const updateSubscription = (
  session: Session,
  subscription: Subscription,
  change: SubscriptionChange,
  now: number,
): CardEvent[] | 'declined' => {
  const { items, metadata, cancelAtPeriodEnd, prorationBehavior } = change;
  const isPriced = items !== undefined && !isSamePrice(items, subscription.items);
  const invoice =
    isPriced && prorationBehavior === 'always_invoice'
      ? prorationInvoice(subscription, items, now)
      : undefined;
  const isCharged = invoice !== undefined && totalOfInvoice(invoice) > 0;
  if (isCharged && subscription.isCardDeclined) return 'declined';
  if (isPriced) subscription.items = items;
  subscription.metadata = { ...subscription.metadata, ...metadata };
  if (cancelAtPeriodEnd !== undefined) {
    subscription.cancelAtPeriodEnd = cancelAtPeriodEnd;
    subscription.canceledAt = cancelAtPeriodEnd ? now : null;
  }
  if (invoice) {
    subscription.invoices.push(invoice);
    payInvoice(session, subscription, invoice);
  }
  return [
    eventOf('customer.subscription.updated', subscriptionObject(subscription), now),
    ...(invoice
      ? [eventOf('invoice.payment_succeeded', invoiceObject(subscription, invoice, now), now)]
      : []),
  ];
};

const isSamePrice = (one: readonly LineItem[], other: readonly LineItem[]): boolean =>
  one.length === other.length &&
  one.every(
    ({ priceId, quantity }, index) =>
      priceId === other[index]?.priceId && quantity === other[index]?.quantity,
  );

/** A schedule's phase takes effect at its start; after its last one it releases the subscription. */
const beginPeriod = (subscription: Subscription, now: number): void => {
  subscription.periodStart = subscription.periodEnd;
  const { schedule, periodStart } = subscription;
  const phase = schedule?.phases.find(
    ({ startDate, endDate }) => startDate <= periodStart && periodStart < endDate,
  );
  if (phase) {
    subscription.items = phase.items;
    subscription.metadata = { ...subscription.metadata, ...phase.metadata };
  } else {
    subscription.schedule = null;
  }
  subscription.periodEnd = endOfPeriod(subscription.items, periodStart);
  subscription.invoices.push(periodInvoice(subscription, 'subscription_cycle', now));
};

import {
  apiVersion,
  chargeObject,
  disputeObject,
  invoiceObject,
  sessionObject,
  subscriptionObject,
} from './objects.ts';
import {
  type Charge,
  type Dispute,
  type Interval,
  newCardId,
  type Session,
  type Subscription,
  totalOf,
} from './session.ts';

export type CardEvent = { id: string; type: string; body: string };

/** The card is accepted and the session complete; of a subscription the first period is paid too. */
export const payCheckout = (session: Session, now: number): CardEvent[] => {
  session.status = 'complete';
  session.isDeclined = false;
  const charge = { id: newCardId('ch'), amount: totalOf(session), refunded: 0 };
  session.charge = charge;
  if (session.mode === 'payment') {
    return [eventOf('checkout.session.completed', sessionObject(session, now), now)];
  }
  const subscription = beginSubscription(session, now);
  subscription.status = 'active';
  subscription.invoice.attempts += 1;
  const payment = { isPaid: true, isFirst: true, now };
  return [
    eventOf('checkout.session.completed', sessionObject(session, now), now),
    eventOf('customer.subscription.updated', subscriptionObject(session, subscription), now),
    eventOf('invoice.payment_succeeded', invoiceObject(session, subscription, payment), now),
  ];
};

/** The card is declined. The session stays open; its subscription is created as incomplete. */
export const declineCheckout = (session: Session, now: number): CardEvent[] => {
  session.isDeclined = true;
  if (session.mode === 'payment') return [];
  const isNew = session.subscription === null;
  const subscription = beginSubscription(session, now);
  subscription.invoice.attempts += 1;
  const payment = { isPaid: false, isFirst: true, now };
  const created = eventOf(
    'customer.subscription.created',
    subscriptionObject(session, subscription),
    now,
  );
  return [
    ...(isNew ? [created] : []),
    eventOf('invoice.payment_failed', invoiceObject(session, subscription, payment), now),
  ];
};

export const laterActions = [
  ...(['renew', 'fail-renewal', 'cancel-subscription', 'refund'] as const),
  ...(['dispute', 'win-dispute', 'lose-dispute'] as const),
] as const;
type LaterAction = (typeof laterActions)[number];

/** The events of something that happens after the payment; undefined if it cannot happen. */
export const applyLaterAction = (
  session: Session,
  action: LaterAction,
  now: number,
): CardEvent[] | undefined => {
  if (session.status !== 'complete') return undefined;
  switch (action) {
    case 'refund':
      return refundHalf(session, now);
    case 'dispute':
      return openDispute(session, now);
    case 'win-dispute':
      return closeDispute(session, 'won', now);
    case 'lose-dispute':
      return closeDispute(session, 'lost', now);
    case 'renew':
    case 'fail-renewal':
    case 'cancel-subscription':
      return changeSubscription(session, action, now);
  }
};

const changeSubscription = (
  session: Session,
  action: 'renew' | 'fail-renewal' | 'cancel-subscription',
  now: number,
): CardEvent[] | undefined => {
  const { subscription } = session;
  if (!subscription || subscription.status === 'canceled') return undefined;
  if (action === 'renew') return renew(session, subscription, now);
  if (action === 'fail-renewal') return failRenewal(session, subscription, now);
  subscription.status = 'canceled';
  subscription.endedAt = now;
  return [eventOf('customer.subscription.deleted', subscriptionObject(session, subscription), now)];
};

const renew = (session: Session, subscription: Subscription, now: number): CardEvent[] => {
  if (subscription.status !== 'past_due') beginPeriod(session, subscription);
  subscription.status = 'active';
  subscription.invoice.attempts += 1;
  session.charge = { id: newCardId('ch'), amount: totalOf(session), refunded: 0 };
  const payment = { isPaid: true, isFirst: false, now };
  return [
    eventOf('customer.subscription.updated', subscriptionObject(session, subscription), now),
    eventOf('invoice.payment_succeeded', invoiceObject(session, subscription, payment), now),
  ];
};

const failRenewal = (session: Session, subscription: Subscription, now: number): CardEvent[] => {
  // The new period begins even if it is not paid; a further attempt is for the same invoice.
  if (subscription.status !== 'past_due') beginPeriod(session, subscription);
  subscription.status = 'past_due';
  subscription.invoice.attempts += 1;
  const payment = { isPaid: false, isFirst: false, now };
  return [
    eventOf('invoice.payment_failed', invoiceObject(session, subscription, payment), now),
    eventOf('customer.subscription.updated', subscriptionObject(session, subscription), now),
  ];
};

/** The first refund is half of the last charge, the second the rest. */
const refundHalf = (session: Session, now: number): CardEvent[] | undefined => {
  const { charge } = session;
  if (!charge || charge.refunded === charge.amount) return undefined;
  const half = Math.ceil(charge.amount / 2);
  return refundCharge(session, charge, charge.refunded === 0 ? half : charge.amount - half, now);
};

export const refundCharge = (
  session: Session,
  charge: Charge,
  amount: number,
  now: number,
): CardEvent[] => {
  charge.refunded += amount;
  return [eventOf('charge.refunded', chargeObject(session, charge, now), now)];
};

export const expireSession = (session: Session, now: number): CardEvent[] => {
  session.status = 'expired';
  return [eventOf('checkout.session.expired', sessionObject(session, now), now)];
};

/** The card's holder contests the charge. */
const openDispute = (session: Session, now: number): CardEvent[] | undefined => {
  const { charge } = session;
  if (!charge || charge.dispute || charge.refunded === charge.amount) return undefined;
  const dispute: Dispute = { id: newCardId('dp'), status: 'needs_response', createdAt: now };
  charge.dispute = dispute;
  return [eventOf('charge.dispute.created', disputeObject(session, charge, dispute), now)];
};

const closeDispute = (
  session: Session,
  status: 'won' | 'lost',
  now: number,
): CardEvent[] | undefined => {
  const { charge } = session;
  if (charge?.dispute?.status !== 'needs_response') return undefined;
  charge.dispute.status = status;
  const object = disputeObject(session, charge, charge.dispute);
  return [eventOf('charge.dispute.closed', object, now)];
};

const beginSubscription = (session: Session, now: number): Subscription => {
  session.customerId ??= newCardId('cus');
  session.subscription ??= {
    id: newCardId('sub'),
    itemId: newCardId('si'),
    status: 'incomplete',
    createdAt: now,
    periodStart: now,
    periodEnd: endOfPeriod(session, now),
    endedAt: null,
    invoice: { id: newCardId('in'), attempts: 0 },
  };
  return session.subscription;
};

const beginPeriod = (session: Session, subscription: Subscription): void => {
  subscription.periodStart = subscription.periodEnd;
  subscription.periodEnd = endOfPeriod(session, subscription.periodStart);
  subscription.invoice = { id: newCardId('in'), attempts: 0 };
};

const secondsOf: Record<Exclude<Interval, 'month' | 'year'>, number> = {
  day: 86_400,
  week: 604_800,
};

const endOfPeriod = (session: Session, start: number): number => {
  const { interval, count } = session.items.find(({ recurring }) => recurring)?.recurring ?? {
    interval: 'month' as const,
    count: 1,
  };
  if (interval === 'day' || interval === 'week') return start + count * secondsOf[interval];
  return addMonths(start, interval === 'year' ? 12 * count : count);
};

/** The same day of that month, or its last day if the month is shorter. */
const addMonths = (start: number, months: number): number => {
  const from = new Date(start * 1000);
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return Math.floor(to.getTime() / 1000);
};

const eventOf = (type: string, object: object, now: number): CardEvent => {
  const id = newCardId('evt');
  const event = {
    id,
    object: 'event',
    api_version: apiVersion,
    created: now,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: newCardId('req'), idempotency_key: null },
    type,
  };
  // Indented, as the real provider sends them.
  return { id, type, body: JSON.stringify(event, null, 2) };
};

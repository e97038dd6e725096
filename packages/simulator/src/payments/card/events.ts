import { newCardId } from './card-id.ts';
import { type CardEvent, eventOf } from './event.ts';
import { invoiceObject } from './invoice-objects.ts';
import { chargeObject, disputeObject, sessionObject, subscriptionObject } from './objects.ts';
import type { Charge, Dispute, Session } from './session.ts';
import { currentInvoice, sumOf } from './subscription.ts';
import {
  beginSubscription,
  endSubscription,
  failRenewal,
  payInvoice,
  renew,
} from './subscription-events.ts';

/** The card is accepted and the session complete; of a subscription the first period is paid too. */
const payCheckout = (session: Session, now: number): CardEvent[] => {
  completeSession(session);
  return chargeSession(session, 'checkout.session.completed', now);
};

const completeSession = (session: Session): void => {
  session.status = 'complete';
  session.isDeclined = false;
};

/** `type`: what is told of the session itself. */
const chargeSession = (session: Session, type: string, now: number): CardEvent[] => {
  if (session.mode === 'payment') {
    session.charge = { id: newCardId('ch'), amount: sumOf(session.items), refunded: 0 };
    return [eventOf(type, sessionObject(session, now), now)];
  }
  const subscription = beginSubscription(session, now);
  subscription.status = 'active';
  const invoice = currentInvoice(subscription);
  payInvoice(session, subscription, invoice);
  return [
    eventOf(type, sessionObject(session, now), now),
    eventOf('customer.subscription.updated', subscriptionObject(subscription), now),
    eventOf('invoice.payment_succeeded', invoiceObject(subscription, invoice, now), now),
  ];
};

/** By a method that takes days. The real provider calls a subscription active while its payment is on its way. */
const payLater = (session: Session, now: number): CardEvent[] => {
  completeSession(session);
  session.delayed = 'waiting';
  const subscription = session.mode === 'payment' ? null : beginSubscription(session, now);
  if (subscription) subscription.status = 'active';
  return [
    eventOf('checkout.session.completed', sessionObject(session, now), now),
    ...(subscription
      ? [eventOf('customer.subscription.updated', subscriptionObject(subscription), now)]
      : []),
  ];
};

const endDelay = (session: Session, end: 'arrives' | 'fails', now: number): CardEvent[] => {
  if (end === 'arrives') {
    session.delayed = null;
    return chargeSession(session, 'checkout.session.async_payment_succeeded', now);
  }
  session.delayed = 'failed';
  const { subscription } = session;
  if (subscription) subscription.status = 'past_due';
  return [
    eventOf('checkout.session.async_payment_failed', sessionObject(session, now), now),
    ...(subscription ? failRenewal(subscription, now) : []),
  ];
};

/** The card is declined. The session stays open; its subscription is created as incomplete. */
const declineCheckout = (session: Session, now: number): CardEvent[] => {
  session.isDeclined = true;
  if (session.mode === 'payment') return [];
  const isNew = session.subscription === null;
  const subscription = beginSubscription(session, now);
  const invoice = currentInvoice(subscription);
  invoice.attempts += 1;
  const created = eventOf('customer.subscription.created', subscriptionObject(subscription), now);
  return [
    ...(isNew ? [created] : []),
    eventOf('invoice.payment_failed', invoiceObject(subscription, invoice, now), now),
  ];
};

/** What may happen on the page of a session that is open. */
export const checkoutSteps = {
  pay: payCheckout,
  'pay-later': payLater,
  fail: declineCheckout,
} as const;
export const checkoutStepNames = ['pay', 'pay-later', 'fail'] as const;

export const laterActions = [
  ...(['payment-arrives', 'payment-fails'] as const),
  ...(['renew', 'fail-renewal', 'cancel-subscription', 'refund'] as const),
  ...(['decline-card', 'accept-card'] as const),
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
  if (action === 'payment-arrives' || action === 'payment-fails') {
    if (session.delayed !== 'waiting') return undefined;
    return endDelay(session, action === 'payment-arrives' ? 'arrives' : 'fails', now);
  }
  if (session.delayed === 'waiting') return undefined;
  switch (action) {
    case 'refund':
      return refundHalf(session, now);
    case 'dispute':
      return openDispute(session, now);
    case 'win-dispute':
      return closeDispute(session, 'won', now);
    case 'lose-dispute':
      return closeDispute(session, 'lost', now);
    default:
      return changeSubscription(session, action, now);
  }
};

type SubscriptionAction = Exclude<
  LaterAction,
  'refund' | 'dispute' | 'win-dispute' | 'lose-dispute' | 'payment-arrives' | 'payment-fails'
>;

const changeSubscription = (
  session: Session,
  action: SubscriptionAction,
  now: number,
): CardEvent[] | undefined => {
  const { subscription } = session;
  if (!subscription || subscription.status === 'canceled') return undefined;
  switch (action) {
    case 'renew':
      return renew(session, subscription, now);
    case 'fail-renewal':
      return failRenewal(subscription, now);
    case 'cancel-subscription':
      return endSubscription(subscription, now);
    case 'decline-card':
    case 'accept-card':
      subscription.isCardDeclined = action === 'decline-card';
      return [];
  }
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

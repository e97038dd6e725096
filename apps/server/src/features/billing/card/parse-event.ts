import { type PlanName, planName } from '@holdfast/contract';
import { z } from 'zod';
import type { Payment, PaymentDelay, PaymentEnding } from '../events/order-payments.ts';
import type { DisputeEvent } from '../payments/apply-dispute.ts';
import type { RefundEvent } from '../payments/apply-refund.ts';
import { highestPlan } from '../rules.ts';
import type { SubscriptionEvent } from '../subscriptions/apply-subscription-event.ts';
import {
  anyObject,
  checkoutSession,
  disputeEnds,
  type Priced,
  providerCharge,
  providerDispute,
  providerInvoice,
  providerSchedule,
  providerStatuses,
  providerSubscription,
} from './shapes.ts';

type RawEvent = { type: string; at: number; object: unknown };
type Prices = Record<string, PlanName>;

/** What an event of the card provider says, in our terms. */
export type CardEvent =
  | SubscriptionEvent
  | RefundEvent
  | DisputeEvent
  | ({ about: 'payment' } & Payment)
  | ({ about: 'delay' } & PaymentDelay)
  | ({ about: 'ending' } & PaymentEnding)
  /** An amount, currency or payment status that cannot be read. `isPayment`: of a payment of the account. */
  | { about: 'mismatch'; accountIds: string[]; isPayment: boolean }
  /** A type that is handled, in a form that cannot be read. */
  | { about: 'unreadable' }
  | { about: 'nothing'; customerId: string | null };

export const parseCardEvent = (event: RawEvent, prices: Prices): CardEvent => {
  const parse = Object.hasOwn(parsers, event.type) ? parsers[event.type] : undefined;
  if (parse) return parse(event, prices) ?? { about: 'unreadable' };
  return { about: 'nothing', customerId: anyObject.safeParse(event.object).data?.customer ?? null };
};

type Parse = (event: RawEvent, prices: Prices) => CardEvent | undefined;

/** The payment of a delayed method is reported once it has arrived, or will not. */
const failedType = 'checkout.session.async_payment_failed';

const parseCheckout: Parse = ({ type, at, object }, prices) => {
  const session = checkoutSession.safeParse(object).data;
  if (!session) return undefined;
  const { mode, customer = null, subscription, metadata, client_reference_id } = session;
  const isPayment = mode === 'payment' || (!mode && !subscription);
  if (isPayment) return parsePayment(session, type);
  if (!subscription)
    return mode === 'setup' ? { about: 'nothing', customerId: customer } : undefined;
  const accountIds = parseUuids(client_reference_id, metadata?.userId);
  const isPaid = paymentStatuses.get(session.payment_status ?? '');
  if (isPaid === undefined) return { about: 'mismatch', accountIds, isPayment: true };
  return {
    about: 'subscription',
    providerRef: subscription,
    customerId: customer,
    paidBy: typeof session.payment_intent === 'string' ? [session.payment_intent] : [],
    fact: {
      // A delayed payment is reported days after the choice of the plan.
      ...{ kind: 'checkout', at, begunAt: session.created ?? at, isPaid },
      plan: findPlan({ metadata, items: session.line_items }, prices),
    },
    claims: {
      accountIds,
      invoiceId: parseUuid(metadata?.invoiceId) ?? null,
    },
  };
};

/** A trial is neither paid nor unpaid. */
const paymentStatuses = new Map([
  ['paid', true],
  ['unpaid', false],
  ['no_payment_required', null],
]);

const parsePayment = (
  session: z.output<typeof checkoutSession>,
  type: string,
): CardEvent | undefined => {
  const { metadata, payment_status } = session;
  const paidFor = metadata?.invoiceId ?? metadata?.orderId;
  if (typeof paidFor !== 'string') return undefined;
  if (type === failedType) return { about: 'ending', paidFor, reason: 'fail' };
  if (payment_status === 'unpaid') return { about: 'delay', paidFor };
  return {
    ...{ about: 'payment', provider: 'CARD', paidFor },
    providerRef: session.id ?? null,
    paymentIntent: session.payment_intent ?? null,
    // Any other status proves no payment of this amount.
    amountCents: payment_status === 'paid' ? session.amount_total : null,
    currency: session.currency,
  };
};

const parseSubscription: Parse = ({ type, at, object }, prices) => {
  const subscription = providerSubscription.safeParse(object).data;
  if (!subscription) return undefined;
  const { id, customer = null, metadata, items } = subscription;
  const cancelledAt = subscription.canceled_at ?? null;
  const about = { about: 'subscription', providerRef: id, customerId: customer } as const;
  if (type === 'customer.subscription.deleted') {
    return { ...about, fact: { kind: 'deletion', at, cancelledAt } };
  }
  const status = statuses.get(subscription.status);
  if (!status) return undefined;
  const ends = (items?.data ?? []).map((item) => item.current_period_end);
  return {
    ...about,
    fact: {
      ...{ kind: 'update', at, status, cancelledAt },
      plan: findPlan({ metadata, items }, prices),
      periodEnd: latestOf(ends) ?? subscription.current_period_end ?? null,
      trialEndsAt: subscription.trial_end ?? null,
      isScheduled: subscription.schedule === undefined ? null : subscription.schedule !== null,
    },
  };
};

const parseSchedule: Parse = ({ at, object }, prices) => {
  const schedule = providerSchedule.safeParse(object).data;
  const providerRef = schedule?.subscription ?? schedule?.released_subscription;
  if (!schedule || !providerRef) return undefined;
  const fact = { kind: 'schedule', at, plan: nextPlanOf(schedule, prices) } as const;
  return { about: 'subscription', providerRef, customerId: schedule.customer ?? null, fact };
};

/** The plan of the first phase that has not begun; null if the plan stays as it is. */
export const nextPlanOf = (object: unknown, prices: Prices = {}): PlanName | null => {
  const { status, current_phase, phases = [] } = providerSchedule.safeParse(object).data ?? {};
  const isActive = status === 'active' || status === 'not_started';
  const next = phases.find(({ start_date }) => start_date >= (current_phase?.end_date ?? 0));
  if (!isActive || !next) return null;
  const data = next.items.flatMap(({ price }) => (price ? { price: { id: price } } : []));
  return findPlan({ metadata: next.metadata, items: { data } }, prices);
};

const parseInvoice: Parse = ({ type, at, object }) => {
  const invoice = providerInvoice.safeParse(object).data;
  if (!invoice) return undefined;
  const { id = null, customer = null, parent, lines } = invoice;
  const subscription = parent?.subscription_details?.subscription ?? invoice.subscription;
  // The invoice is not about a subscription.
  if (!subscription) return { about: 'nothing', customerId: customer };
  // The invoice's own period is the past one; its lines name the period that it pays for.
  const ends = (lines?.data ?? []).map(({ period }) => period?.end);
  const periodEnd = latestOf(ends) ?? invoice.period_end ?? null;
  return {
    ...{ about: 'subscription', providerRef: subscription, customerId: customer },
    ...(type === 'invoice.payment_succeeded' && { paidBy: paymentRefsOf(invoice) }),
    fact:
      type === 'invoice.payment_succeeded'
        ? { kind: 'payment', at, periodEnd }
        : { kind: 'failure', at, invoiceId: id },
  };
};

const paymentRefsOf = ({ charge, payment_intent, payments }: z.output<typeof providerInvoice>) =>
  [
    ...[charge, payment_intent],
    ...(payments?.data ?? []).flatMap(({ payment }) => [payment?.charge, payment?.payment_intent]),
  ].filter((ref) => typeof ref === 'string');

const parseRefund: Parse = ({ object }) => {
  const charge = providerCharge.safeParse(object).data;
  if (!charge) return undefined;
  const { id, customer = null, amount_refunded: refundedCents, currency, metadata } = charge;
  if (refundedCents === null || currency === null) {
    return { about: 'mismatch', accountIds: parseUuids(metadata?.userId), isPayment: false };
  }
  return {
    ...{ about: 'refund', chargeId: id, customerId: customer, currency, refundedCents },
    accountId: parseUuid(metadata?.userId) ?? null,
    orderId: parseUuid(metadata?.orderId) ?? null,
    paymentIntent: charge.payment_intent ?? null,
  };
};

const parseDispute: Parse = ({ type, object }) => {
  const dispute = providerDispute.safeParse(object).data;
  if (!dispute) return undefined;
  const { id, charge = null, payment_intent = null, amount, currency, status } = dispute;
  const state = type === 'charge.dispute.created' ? 'OPEN' : disputeStates.get(status ?? '');
  if (state === undefined || (charge === null && payment_intent === null)) return undefined;
  if (amount === null || currency === null) {
    return { about: 'mismatch', accountIds: [], isPayment: false };
  }
  return {
    ...{ about: 'dispute', disputeId: id, chargeId: charge, paymentIntent: payment_intent },
    ...{ amountCents: amount, currency, state },
  };
};

/** Every type that is handled: those of spec 6, delayed payments, disputes, and schedules of lower plans. */
const parsers: Record<string, Parse> = {
  'checkout.session.completed': parseCheckout,
  'checkout.session.async_payment_succeeded': parseCheckout,
  [failedType]: parseCheckout,
  'customer.subscription.updated': parseSubscription,
  'customer.subscription.deleted': parseSubscription,
  'subscription_schedule.updated': parseSchedule,
  'subscription_schedule.released': parseSchedule,
  'subscription_schedule.canceled': parseSchedule,
  'invoice.payment_succeeded': parseInvoice,
  'invoice.payment_failed': parseInvoice,
  'charge.refunded': parseRefund,
  'charge.dispute.created': parseDispute,
  'charge.dispute.closed': parseDispute,
};

const statuses = new Map(Object.entries(providerStatuses));
const disputeStates = new Map(Object.entries(disputeEnds));

const latestOf = (times: (number | null | undefined)[]): number | undefined => {
  const given = times.filter((time) => typeof time === 'number');
  return given.length > 0 ? Math.max(...given) : undefined;
};

const parseUuid = (text: unknown): string | undefined => z.guid().safeParse(text).data;
const parseUuids = (...texts: unknown[]): string[] =>
  texts.flatMap((text) => parseUuid(text) ?? []);

/** The plan in our metadata, else in the operator's list of prices, else in the price's lookup key. */
const findPlan = ({ metadata, items }: Priced, prices: Prices): PlanName | null => {
  const plan = parsePlan(metadata?.plan);
  if (plan) return plan;
  const found = (items?.data ?? []).flatMap(({ price, plan: oldPrice }) => {
    const priceId = price?.id ?? oldPrice?.id ?? '';
    const listed = Object.hasOwn(prices, priceId) ? prices[priceId] : undefined;
    return listed ?? parsePlan(price?.lookup_key) ?? [];
  });
  return found.length > 0 ? highestPlan(found) : null;
};

const parsePlan = (text: unknown): PlanName | undefined =>
  typeof text === 'string' ? planName.safeParse(text.trim().toUpperCase()).data : undefined;

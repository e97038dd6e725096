import type { PlanName } from '@holdfast/contract';
import { z } from 'zod';
import type { DisputeNews } from '../disputes/apply-dispute.ts';
import type { RefundNews } from '../refunds/apply-refund.ts';
import type { SubscriptionNews } from '../subscriptions/apply-fact.ts';
import type { Payment } from '../tools.ts';
import { planOf } from './plan-of.ts';
import {
  anyObject,
  checkoutSession,
  disputeEnds,
  providerCharge,
  providerDispute,
  providerInvoice,
  providerStatuses,
  providerSubscription,
} from './shapes.ts';

export type CardEvent = { type: string; at: number; object: unknown };
type Prices = Record<string, PlanName>;

/** What an event of the card provider says, in our words. */
export type News =
  | SubscriptionNews
  | RefundNews
  | DisputeNews
  | ({ about: 'payment' } & Payment)
  /** Of a kind that is dealt with, but not in a form that can be. */
  | { about: 'unreadable' }
  | { about: 'nothing'; customerId: string | null };

export const newsOf = (event: CardEvent, prices: Prices): News => {
  const translate = Object.hasOwn(kinds, event.type) ? kinds[event.type] : undefined;
  const news = translate ? translate(event, prices) : undefined;
  if (news) return news;
  if (translate) return { about: 'unreadable' };
  return { about: 'nothing', customerId: anyObject.safeParse(event.object).data?.customer ?? null };
};

type Translate = (event: CardEvent, prices: Prices) => News | undefined;

const checkoutNews: Translate = ({ at, object }, prices) => {
  const session = checkoutSession.safeParse(object).data;
  if (!session) return undefined;
  const { mode, customer = null, subscription, metadata, client_reference_id } = session;
  const isPayment = mode === 'payment' || (!mode && !subscription);
  if (isPayment) return paymentNews(session);
  if (!subscription)
    return mode === 'setup' ? { about: 'nothing', customerId: customer } : undefined;
  const isPaid = paidWords[session.payment_status ?? ''] ?? null;
  return {
    about: 'subscription',
    providerRef: subscription,
    customerId: customer,
    paidBy: typeof session.payment_intent === 'string' ? [session.payment_intent] : [],
    fact: {
      ...{ kind: 'checkout', at, isPaid },
      plan: planOf({ metadata, items: session.line_items }, prices),
    },
    claims: {
      accountIds: [client_reference_id, metadata?.accountId].flatMap((text) => uuidIn(text) ?? []),
      invoiceId: uuidIn(metadata?.invoiceId) ?? null,
    },
  };
};

/** A trial is neither. */
const paidWords: Record<string, boolean> = { paid: true, unpaid: false };

const paymentNews = (session: z.output<typeof checkoutSession>): News | undefined => {
  const { customer = null, metadata, payment_status } = session;
  const paidFor = metadata?.invoiceId ?? metadata?.orderId;
  if (typeof paidFor !== 'string') return undefined;
  // The money is on its way; that it came is told by another event, or never.
  if (payment_status === 'unpaid') return { about: 'nothing', customerId: customer };
  return {
    ...{ about: 'payment', provider: 'CARD', paidFor },
    providerRef: session.id ?? null,
    paymentIntent: session.payment_intent ?? null,
    amountCents: session.amount_total ?? undefined,
    currency: session.currency ?? undefined,
  };
};

const subscriptionNews: Translate = ({ type, at, object }, prices) => {
  const told = providerSubscription.safeParse(object).data;
  if (!told) return undefined;
  const { id, customer = null, metadata, items } = told;
  const cancelledAt = told.canceled_at ?? null;
  const about = { about: 'subscription', providerRef: id, customerId: customer } as const;
  if (type === 'customer.subscription.deleted') {
    return { ...about, fact: { kind: 'deletion', at, cancelledAt } };
  }
  const status = statusNamed(told.status);
  if (!status) return undefined;
  const ends = (items?.data ?? []).map((item) => item.current_period_end);
  return {
    ...about,
    fact: {
      ...{ kind: 'update', at, status, cancelledAt },
      plan: planOf({ metadata, items }, prices),
      periodEnd: latestOf(ends) ?? told.current_period_end ?? null,
      trialEndsAt: told.trial_end ?? null,
    },
  };
};

const invoiceNews: Translate = ({ type, at, object }) => {
  const invoice = providerInvoice.safeParse(object).data;
  if (!invoice) return undefined;
  const { id = null, customer = null, parent, lines } = invoice;
  const subscription = parent?.subscription_details?.subscription ?? invoice.subscription;
  // An invoice for something else than a subscription.
  if (!subscription) return { about: 'nothing', customerId: customer };
  // The invoice's own period is the one that is over; its lines name the one that was paid for.
  const ends = (lines?.data ?? []).map(({ period }) => period?.end);
  const periodEnd = latestOf(ends) ?? invoice.period_end ?? null;
  return {
    ...{ about: 'subscription', providerRef: subscription, customerId: customer },
    ...(type === 'invoice.payment_succeeded' && { paidBy: refsIn(invoice) }),
    fact:
      type === 'invoice.payment_succeeded'
        ? { kind: 'payment', at, periodEnd }
        : { kind: 'failure', at, invoiceId: id },
  };
};

const refsIn = ({ charge, payment_intent, payments }: z.output<typeof providerInvoice>) =>
  [
    ...[charge, payment_intent],
    ...(payments?.data ?? []).flatMap(({ payment }) => [payment?.charge, payment?.payment_intent]),
  ].filter((ref) => typeof ref === 'string');

const chargeNews: Translate = ({ object }) => {
  const charge = providerCharge.safeParse(object).data;
  if (!charge) return undefined;
  const { id, customer = null, amount_refunded, currency, metadata } = charge;
  return {
    ...{ about: 'charge', chargeId: id, customerId: customer, currency },
    refundedCents: amount_refunded,
    accountId: uuidIn(metadata?.accountId) ?? null,
    orderId: uuidIn(metadata?.orderId) ?? null,
    paymentIntent: charge.payment_intent ?? null,
  };
};

const disputeNews: Translate = ({ type, object }) => {
  const dispute = providerDispute.safeParse(object).data;
  if (!dispute) return undefined;
  const { id, charge = null, payment_intent = null, amount, currency, status } = dispute;
  const state = type === 'charge.dispute.created' ? 'OPEN' : endsNamed.get(status ?? '');
  if (state === undefined || (charge === null && payment_intent === null)) return undefined;
  return {
    ...{ about: 'dispute', disputeId: id, chargeId: charge, paymentIntent: payment_intent },
    ...{ amountCents: amount, currency, state },
  };
};

const endsNamed = new Map(Object.entries(disputeEnds));

/** Every kind that is dealt with (spec 6). */
const kinds: Record<string, Translate> = {
  'checkout.session.completed': checkoutNews,
  'customer.subscription.updated': subscriptionNews,
  'customer.subscription.deleted': subscriptionNews,
  'invoice.payment_succeeded': invoiceNews,
  'invoice.payment_failed': invoiceNews,
  'charge.refunded': chargeNews,
  'charge.dispute.created': disputeNews,
  'charge.dispute.closed': disputeNews,
};

const statuses = new Map(Object.entries(providerStatuses));
const statusNamed = (text: string) => statuses.get(text);

const latestOf = (times: (number | null | undefined)[]): number | undefined => {
  const known = times.filter((time) => typeof time === 'number');
  return known.length > 0 ? Math.max(...known) : undefined;
};

const uuidIn = (text: unknown): string | undefined => z.guid().safeParse(text).data;

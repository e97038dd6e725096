import type { Price } from './prices.ts';
import { type Charge, type Dispute, type Session, statusOf } from './session.ts';
import { type LineItem, type Subscription, sumOf } from './subscription.ts';

/** The version of the provider's API whose shapes these are. */
export const apiVersion = '2026-10-28.endive';

export const sessionObject = (session: Session, now: number) => {
  const total = sumOf(session.items);
  const status = statusOf(session, now);
  const isComplete = status === 'complete';
  return {
    id: session.id,
    object: 'checkout.session',
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    created: session.createdAt,
    currency: session.currency,
    customer: session.customerId,
    customer_details: isComplete
      ? {
          address: null,
          email: session.customerEmail,
          name: null,
          phone: null,
          tax_exempt: 'none',
          tax_ids: [],
        }
      : null,
    customer_email: session.customerEmail,
    expires_at: session.expiresAt,
    invoice: session.subscription?.invoices[0]?.id ?? null,
    livemode: false,
    metadata: session.metadata,
    mode: session.mode,
    payment_intent: session.mode === 'payment' ? paymentIntentOf(session.charge) : null,
    payment_method_types: ['card', 'us_bank_account'],
    payment_status: isComplete && session.delayed === null ? 'paid' : 'unpaid',
    status,
    subscription: isComplete ? (session.subscription?.id ?? null) : null,
    success_url: session.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: status === 'open' ? session.url : null,
  };
};

export const subscriptionObject = (subscription: Subscription) => ({
  id: subscription.id,
  object: 'subscription',
  billing_cycle_anchor: subscription.createdAt,
  billing_mode: { type: 'flexible' },
  cancel_at: subscription.cancelAtPeriodEnd ? subscription.periodEnd : null,
  cancel_at_period_end: subscription.cancelAtPeriodEnd,
  canceled_at: subscription.canceledAt,
  cancellation_details: {
    comment: null,
    feedback: null,
    reason: subscription.canceledAt === null ? null : 'cancellation_requested',
  },
  collection_method: 'charge_automatically',
  created: subscription.createdAt,
  currency: subscription.currency,
  customer: subscription.customerId,
  default_payment_method: null,
  description: null,
  ended_at: subscription.endedAt,
  items: {
    object: 'list',
    data: subscription.items.map((item) => itemObject(subscription, item)),
    has_more: false,
    total_count: subscription.items.length,
    url: `/v1/subscription_items?subscription=${subscription.id}`,
  },
  latest_invoice: subscription.invoices.at(-1)?.id ?? null,
  livemode: false,
  metadata: subscription.metadata,
  pause_collection: null,
  schedule: subscription.schedule?.id ?? null,
  start_date: subscription.createdAt,
  status: subscription.status,
  trial_end: null,
  trial_start: null,
});

const itemObject = (subscription: Subscription, item: LineItem) => ({
  id: subscription.itemId,
  object: 'subscription_item',
  created: subscription.createdAt,
  current_period_end: subscription.periodEnd,
  current_period_start: subscription.periodStart,
  metadata: {},
  price: priceObject({
    ...item,
    ...{ id: item.priceId, currency: subscription.currency, createdAt: subscription.createdAt },
    ...{ isActive: true, lookupKey: null, metadata: {} },
  }),
  quantity: item.quantity,
  subscription: subscription.id,
});

export const priceObject = (price: Price) => ({
  id: price.id,
  object: 'price',
  active: price.isActive,
  billing_scheme: 'per_unit',
  created: price.createdAt,
  currency: price.currency,
  livemode: false,
  lookup_key: price.lookupKey,
  metadata: price.metadata,
  nickname: null,
  product: price.productId,
  recurring: price.recurring && {
    interval: price.recurring.interval,
    interval_count: price.recurring.count,
    meter: null,
    usage_type: 'licensed',
  },
  tax_behavior: 'unspecified',
  type: price.recurring ? 'recurring' : 'one_time',
  unit_amount: price.unitAmount,
  unit_amount_decimal: String(price.unitAmount),
});

export const chargeObject = (session: Session, charge: Charge, now: number) => ({
  id: charge.id,
  object: 'charge',
  amount: charge.amount,
  amount_captured: charge.amount,
  // The sum of all refunds of this charge.
  amount_refunded: charge.refunded,
  captured: true,
  created: now,
  currency: session.currency,
  customer: session.customerId,
  livemode: false,
  metadata: session.mode === 'payment' ? session.metadata : {},
  paid: true,
  payment_intent: paymentIntentOf(charge),
  refunded: charge.refunded === charge.amount,
  status: 'succeeded',
});

export const disputeObject = (session: Session, charge: Charge, dispute: Dispute) => ({
  id: dispute.id,
  object: 'dispute',
  amount: charge.amount - charge.refunded,
  balance_transactions: [],
  charge: charge.id,
  created: dispute.createdAt,
  currency: session.currency,
  evidence_details: { due_by: null, has_evidence: false, past_due: false, submission_count: 0 },
  is_charge_refundable: false,
  livemode: false,
  metadata: {},
  payment_intent: paymentIntentOf(charge),
  reason: 'fraudulent',
  status: dispute.status,
});

export const paymentIntentOf = (charge: Charge | null): string | null =>
  charge?.id.replace(/^ch_/, 'pi_') ?? null;

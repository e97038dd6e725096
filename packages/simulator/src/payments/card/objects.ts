import {
  type Charge,
  type Dispute,
  type LineItem,
  newCardId,
  type Session,
  type Subscription,
  statusOf,
  totalOf,
} from './session.ts';

/** The version of the provider's API whose shapes these are. */
export const apiVersion = '2026-10-28.endive';

export const sessionObject = (session: Session, now: number) => {
  const total = totalOf(session);
  const status = statusOf(session, now);
  const isPaid = status === 'complete';
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
    customer_details: isPaid
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
    invoice: session.subscription?.invoice.id ?? null,
    livemode: false,
    metadata: session.metadata,
    mode: session.mode,
    payment_intent: session.mode === 'payment' ? paymentIntentOf(session.charge) : null,
    payment_method_types: ['card'],
    payment_status: isPaid ? 'paid' : 'unpaid',
    status,
    subscription: isPaid ? (session.subscription?.id ?? null) : null,
    success_url: session.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: status === 'open' ? session.url : null,
  };
};

export const subscriptionObject = (session: Session, subscription: Subscription) => ({
  id: subscription.id,
  object: 'subscription',
  billing_cycle_anchor: subscription.createdAt,
  billing_mode: { type: 'flexible' },
  cancel_at: null,
  cancel_at_period_end: false,
  canceled_at: subscription.endedAt,
  cancellation_details: {
    comment: null,
    feedback: null,
    reason: subscription.endedAt ? 'cancellation_requested' : null,
  },
  collection_method: 'charge_automatically',
  created: subscription.createdAt,
  currency: session.currency,
  customer: session.customerId,
  default_payment_method: null,
  description: null,
  ended_at: subscription.endedAt,
  items: {
    object: 'list',
    data: session.items
      .filter(({ recurring }) => recurring)
      .map((item) => itemObject(session, subscription, item)),
    has_more: false,
    total_count: session.items.length,
    url: `/v1/subscription_items?subscription=${subscription.id}`,
  },
  latest_invoice: subscription.invoice.id,
  livemode: false,
  metadata: session.subscriptionMetadata,
  pause_collection: null,
  start_date: subscription.createdAt,
  status: subscription.status,
  trial_end: null,
  trial_start: null,
});

const itemObject = (session: Session, subscription: Subscription, item: LineItem) => ({
  id: subscription.itemId,
  object: 'subscription_item',
  created: subscription.createdAt,
  current_period_end: subscription.periodEnd,
  current_period_start: subscription.periodStart,
  metadata: {},
  price: priceObject(session, item),
  quantity: item.quantity,
  subscription: subscription.id,
});

const priceObject = ({ currency, createdAt }: Session, item: LineItem) => ({
  id: item.priceId,
  object: 'price',
  active: false,
  billing_scheme: 'per_unit',
  created: createdAt,
  currency,
  livemode: false,
  lookup_key: null,
  metadata: {},
  nickname: null,
  product: item.productId,
  recurring: item.recurring && {
    interval: item.recurring.interval,
    interval_count: item.recurring.count,
    meter: null,
    usage_type: 'licensed',
  },
  tax_behavior: 'unspecified',
  type: item.recurring ? 'recurring' : 'one_time',
  unit_amount: item.unitAmount,
  unit_amount_decimal: String(item.unitAmount),
});

type Payment = { isPaid: boolean; isFirst: boolean; now: number };

export const invoiceObject = (
  session: Session,
  subscription: Subscription,
  { isPaid, isFirst, now }: Payment,
) => {
  const total = totalOf(session);
  return {
    id: subscription.invoice.id,
    object: 'invoice',
    amount_due: total,
    amount_paid: isPaid ? total : 0,
    amount_remaining: isPaid ? 0 : total,
    attempt_count: subscription.invoice.attempts,
    attempted: true,
    auto_advance: !isPaid,
    billing_reason: isFirst ? 'subscription_create' : 'subscription_cycle',
    collection_method: 'charge_automatically',
    created: now,
    currency: session.currency,
    customer: session.customerId,
    customer_email: session.customerEmail,
    lines: {
      object: 'list',
      data: session.items.map((item) => lineObject(session, subscription, item)),
      has_more: false,
      total_count: session.items.length,
      url: `/v1/invoices/${subscription.invoice.id}/lines`,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: isPaid || isFirst ? null : now + 3 * 24 * 60 * 60,
    parent: {
      quote_details: null,
      subscription_details: {
        metadata: session.subscriptionMetadata,
        subscription: subscription.id,
      },
      type: 'subscription_details',
    },
    payments: {
      object: 'list',
      data:
        isPaid && session.charge
          ? [
              {
                object: 'invoice_payment',
                amount_paid: total,
                payment: {
                  type: 'payment_intent',
                  payment_intent: paymentIntentOf(session.charge),
                },
                status: 'paid',
              },
            ]
          : [],
      has_more: false,
      url: '/v1/invoice_payments',
    },
    // A cycle is charged as it begins: this is the period before it, and the lines name the new one.
    period_end: subscription.periodStart,
    period_start: subscription.periodStart,
    status: isPaid ? 'paid' : 'open',
    subtotal: total,
    total,
  };
};

const lineObject = (session: Session, subscription: Subscription, item: LineItem) => ({
  id: newCardId('il'),
  object: 'line_item',
  amount: item.unitAmount * item.quantity,
  currency: session.currency,
  description: `${item.quantity} × ${item.name}`,
  invoice: subscription.invoice.id,
  livemode: false,
  metadata: session.subscriptionMetadata,
  parent: {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration: false,
      subscription: subscription.id,
      subscription_item: subscription.itemId,
    },
    type: 'subscription_item_details',
  },
  period: { end: subscription.periodEnd, start: subscription.periodStart },
  pricing: {
    price_details: { price: item.priceId, product: item.productId },
    type: 'price_details',
    unit_amount_decimal: String(item.unitAmount),
  },
  quantity: item.quantity,
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

import {
  dueOf,
  type Invoice,
  type InvoiceLine,
  type Subscription,
  totalOfInvoice,
} from './subscription.ts';

/** `isPreview`: an invoice that does not exist yet has neither a number nor pages. */
export const invoiceObject = (
  subscription: Subscription,
  invoice: Invoice,
  now: number,
  { isPreview = false } = {},
) => {
  const total = totalOfInvoice(invoice);
  const due = dueOf(invoice);
  const { isPaid } = invoice;
  const isCycle = invoice.reason === 'subscription_cycle';
  const page = `${subscription.origin}/pay/invoice/${invoice.id}`;
  return {
    id: isPreview ? `upcoming_${invoice.id}` : invoice.id,
    object: 'invoice',
    amount_due: due,
    amount_paid: isPaid ? due : 0,
    amount_remaining: isPaid ? 0 : due,
    attempt_count: invoice.attempts,
    attempted: invoice.attempts > 0,
    auto_advance: !isPaid,
    billing_reason: invoice.reason,
    collection_method: 'charge_automatically',
    created: invoice.createdAt,
    currency: subscription.currency,
    customer: subscription.customerId,
    customer_email: subscription.customerEmail,
    description: null,
    ending_balance: isPaid ? subscription.account.balance : null,
    hosted_invoice_url: isPreview ? null : page,
    invoice_pdf: isPreview ? null : `${page}/pdf`,
    lines: {
      object: 'list',
      data: invoice.lines.map((line) => lineObject(subscription, invoice, line)),
      has_more: false,
      total_count: invoice.lines.length,
      url: `/v1/invoices/${invoice.id}/lines`,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: !isPaid && isCycle ? now + 3 * 24 * 60 * 60 : null,
    number: isPreview ? null : invoice.number,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    payments: {
      object: 'list',
      data: isPaid && invoice.paymentIntent !== null ? [paymentObject(invoice, due)] : [],
      has_more: false,
      url: '/v1/invoice_payments',
    },
    // A cycle is charged as it begins: this is the period before it, and the lines name the new one.
    period_end: subscription.periodStart,
    period_start: subscription.periodStart,
    starting_balance: invoice.balanceUsed,
    status: isPreview ? 'draft' : isPaid ? 'paid' : 'open',
    status_transitions: {
      finalized_at: isPreview ? null : invoice.createdAt,
      marked_uncollectible_at: null,
      paid_at: isPaid ? invoice.createdAt : null,
      voided_at: null,
    },
    subtotal: total,
    total,
  };
};

const paymentObject = ({ paymentIntent }: Invoice, due: number) => ({
  object: 'invoice_payment',
  amount_paid: due,
  payment: { type: 'payment_intent', payment_intent: paymentIntent },
  status: 'paid',
});

const lineObject = (subscription: Subscription, invoice: Invoice, line: InvoiceLine) => ({
  id: line.id,
  object: 'line_item',
  amount: line.amount,
  currency: subscription.currency,
  description: line.description,
  invoice: invoice.id,
  livemode: false,
  metadata: subscription.metadata,
  parent: {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration: line.isProration,
      subscription: subscription.id,
      subscription_item: subscription.itemId,
    },
    type: 'subscription_item_details',
  },
  period: { end: line.end, start: line.start },
  pricing: {
    price_details: { price: line.item.priceId, product: line.item.productId },
    type: 'price_details',
    unit_amount_decimal: String(line.item.unitAmount),
  },
  quantity: line.item.quantity,
});

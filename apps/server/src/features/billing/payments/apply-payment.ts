import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { holdAccount } from '../../accounts/queries.ts';
import { recordAudit, recordAudits } from '../../audit/queries.ts';
import { returnAbandoned } from '../card/jobs.ts';
import {
  billingActor,
  type EventResult,
  type OrderPayments,
  type Payment,
  type PaymentDelay,
  type PaymentEnding,
} from '../events/order-payments.ts';
import { lockPaymentRefs, storePaymentRefs } from '../queries/disputes.ts';
import {
  awaitInvoicePayment,
  deletePendingInvoice,
  lockInvoice,
  markInvoicePaid,
} from '../queries/invoices.ts';
import { lockSubscription } from '../queries/subscriptions.ts';
import { addMonth, prepaidRef } from '../rules.ts';
import {
  type ChangeDependencies,
  changeSubscription,
} from '../subscriptions/change-subscription.ts';
import { enqueueWaitingDisputes } from './jobs.ts';

type PaymentDependencies = ChangeDependencies & { orders: OrderPayments };

const unmatched: EventResult = { outcome: 'UNMATCHED', accountId: null };

/** A paid invoice gives its plan for 30 days; a payment for an order goes to the marketplace. */
export const applyPayment = async (
  tx: Transaction,
  dependencies: PaymentDependencies,
  eventId: string,
  payment: Payment,
): Promise<EventResult> => {
  const { paymentIntent: intent } = payment;
  await lockPaymentRefs(tx, [intent]);
  const result = await payInvoiceOrOrder(tx, dependencies, eventId, payment);
  if (result.outcome === 'APPLIED') {
    await enqueueWaitingDisputes(tx, dependencies, { eventId, accountId: result.accountId }, [
      intent,
    ]);
  }
  return result;
};

const payInvoiceOrOrder = async (
  tx: Transaction,
  dependencies: PaymentDependencies,
  eventId: string,
  payment: Payment,
): Promise<EventResult> => {
  const invoice = await lockNamedInvoice(tx, payment.paidFor);
  if (!invoice) return payOrder(tx, dependencies, eventId, payment);
  const { id, accountId, plan } = invoice;
  if (invoice.paidAt !== null) return { outcome: 'IGNORED', accountId };
  if (!(await holdAccount(tx, accountId)))
    return enqueueReturn(tx, dependencies, accountId, payment);
  // A wrong amount gives nothing. The invoice can still be paid in full.
  if (!isExact(payment, invoice)) {
    return { outcome: 'MISMATCH', accountId, mismatch: { ...payment, orderId: null } };
  }
  await markInvoicePaid(tx, { id, accountId });
  const { provider } = payment;
  const providerRef = prepaidRef(invoice);
  await storePaymentRefs(tx, providerRef, [payment.paymentIntent]);
  const subscription = await lockSubscription(tx, { provider, providerRef, customerId: null });
  const entries = await changeSubscription(tx, dependencies, subscription, {
    ...{ accountId, actor: billingActor, action: 'invoice.pay', events: [eventId] },
    facts: addMonth(subscription.facts, plan, dependencies.clock.now()),
  });
  await recordAudits(tx, entries);
  return { outcome: 'APPLIED', accountId, subjectRef: providerRef };
};

const payOrder = async (
  tx: Transaction,
  { orders }: PaymentDependencies,
  eventId: string,
  payment: Payment,
): Promise<EventResult> => {
  const result = await orders.pay(tx, eventId, payment);
  const isMismatch = result?.outcome === 'MISMATCH';
  return {
    ...(result ?? unmatched),
    mismatch: isMismatch ? { ...payment, orderId: payment.paidFor } : undefined,
  };
};

/** The account is deleted. Only a card payment can be refunded; for coins there is only the log entry. */
const enqueueReturn = async (
  tx: Transaction,
  { queue }: PaymentDependencies,
  accountId: string,
  { paymentIntent }: Payment,
): Promise<EventResult> => {
  const paymentRefs = paymentIntent === null ? [] : [paymentIntent];
  await queue.enqueue(tx, returnAbandoned, { accountId, subscriptionRef: null, paymentRefs });
  return { ...unmatched, subjectRef: paymentIntent };
};

/** The slowest of the delayed methods take weeks. */
const maxDelayMs = 60 * 24 * 60 * 60 * 1000;

/** A payment is on its way: the invoice or order waits for it, instead of expiring with its checkout. */
export const applyDelay = async (
  tx: Transaction,
  { orders, clock }: Pick<PaymentDependencies, 'orders' | 'clock'>,
  eventId: string,
  { paidFor }: PaymentDelay,
): Promise<EventResult> => {
  const until = new Date(clock.now().getTime() + maxDelayMs);
  const invoice = await lockNamedInvoice(tx, paidFor);
  if (!invoice) return (await orders.await(tx, eventId, { paidFor, until })) ?? unmatched;
  const { id, accountId } = invoice;
  if (!(await awaitInvoicePayment(tx, { id, accountId }, until))) {
    return { outcome: 'IGNORED', accountId };
  }
  await recordAudit(tx, {
    accountId,
    actor: billingActor,
    action: 'invoice.await_payment',
    subject: { type: 'invoice', id },
    changes: { events: [eventId], until: until.toISOString() },
  });
  return { outcome: 'APPLIED', accountId };
};

/** The invoice or order can no longer be paid. */
export const applyEnding = async (
  tx: Transaction,
  { orders }: Pick<PaymentDependencies, 'orders'>,
  eventId: string,
  ending: PaymentEnding,
): Promise<EventResult> => {
  const invoice = await lockNamedInvoice(tx, ending.paidFor);
  if (!invoice) return (await orders.end(tx, eventId, ending)) ?? unmatched;
  const { id, accountId } = invoice;
  if (!(await deletePendingInvoice(tx, { id, accountId }))) {
    return { outcome: 'IGNORED', accountId };
  }
  await recordAudit(tx, {
    accountId,
    actor: billingActor,
    action: 'invoice.remove',
    subject: { type: 'invoice', id },
    changes: { events: [eventId] },
  });
  return { outcome: 'APPLIED', accountId };
};

/** The account of the invoice or order that an event without effect is about. */
export const findPayer = async (
  tx: Transaction,
  { orders }: Pick<PaymentDependencies, 'orders'>,
  paidFor: string,
): Promise<string | null> =>
  (await lockNamedInvoice(tx, paidFor))?.accountId ?? orders.findBuyer(tx, paidFor);

type Invoice = NonNullable<Awaited<ReturnType<typeof lockInvoice>>>;

const lockNamedInvoice = async (tx: Transaction, text: string): Promise<Invoice | undefined> => {
  const invoiceId = z.guid().safeParse(text).data;
  return invoiceId === undefined ? undefined : lockInvoice(tx, invoiceId);
};

const isExact = ({ amountCents, currency }: Payment, invoice: Invoice): boolean =>
  amountCents === invoice.amountCents && currency === invoice.currency;

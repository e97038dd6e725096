import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { recordAudit } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { holdAccount } from '../../accounts/queries.ts';
import { wakeDisputes } from '../disputes/apply-dispute.ts';
import { lockPaymentRefs, storePaymentRefs } from '../disputes/queries.ts';
import { returnAbandoned } from '../pay/return-abandoned.ts';
import { addMonth, prepaidRef } from '../rules.ts';
import { type ChangeTools, changeSubscription } from '../subscriptions/change.ts';
import { lockSubscription } from '../subscriptions/queries.ts';
import {
  billingActor,
  type OrderDesk,
  type OrderEnding,
  type Payment,
  type Settlement,
} from '../tools.ts';
import { lockInvoice, markPaid, removePending } from './queries.ts';

type Tools = ChangeTools & { orders: OrderDesk };

const unmatched: Settlement = { outcome: 'UNMATCHED', accountId: null };

/** Money for an invoice gives its plan for 30 days; money for an order is that order's. */
export const applyPayment = async (
  tx: Transaction,
  tools: Tools,
  eventId: string,
  payment: Payment,
): Promise<Settlement> => {
  const { paymentIntent: intent } = payment;
  await lockPaymentRefs(tx, [intent]);
  const settled = await payInvoiceOrOrder(tx, tools, eventId, payment);
  if (settled.outcome === 'APPLIED') await wakeDisputes(tx, tools, eventId, [intent]);
  return settled;
};

const payInvoiceOrOrder = async (
  tx: Transaction,
  tools: Tools,
  eventId: string,
  payment: Payment,
): Promise<Settlement> => {
  const invoice = await findInvoice(tx, payment.paidFor);
  if (!invoice) return (await tools.orders.pay(tx, eventId, payment)) ?? unmatched;
  const { id, accountId, plan } = invoice;
  if (invoice.paidAt !== null) return { outcome: 'IGNORED', accountId };
  if (!(await holdAccount(tx, accountId))) return giveBack(tx, tools, payment);
  // Not what was asked for gives nothing. The invoice can still be paid as it is.
  if (!isWhole(payment, invoice)) return { outcome: 'MISMATCH', accountId };
  await markPaid(tx, { invoiceId: id, accountId });
  const { provider } = payment;
  const providerRef = prepaidRef(invoice);
  await storePaymentRefs(tx, providerRef, [payment.paymentIntent]);
  const held = await lockSubscription(tx, { provider, providerRef, customerId: null });
  const facts = addMonth(held.facts, plan, tools.clock.now());
  const change = { accountId, facts, actor: billingActor, events: [eventId] };
  const action = 'invoice.pay';
  await recordAudits(tx, await changeSubscription(tx, tools, held, { ...change, action }));
  return { outcome: 'APPLIED', accountId, subjectRef: providerRef };
};

/** Paid for an account that is deleted. Of coins only the log tells: their provider takes nothing back. */
const giveBack = async (
  tx: Transaction,
  { queue }: Tools,
  { paymentIntent }: Payment,
): Promise<Settlement> => {
  const paymentRefs = paymentIntent === null ? [] : [paymentIntent];
  await queue.enqueue(tx, returnAbandoned, { subscriptionRef: null, paymentRefs });
  return { ...unmatched, subjectRef: paymentIntent };
};

/** Nobody will pay it any more. */
export const applyEnd = async (
  tx: Transaction,
  { orders }: Pick<Tools, 'orders'>,
  eventId: string,
  ending: OrderEnding,
): Promise<Settlement> => {
  const invoice = await findInvoice(tx, ending.orderId);
  if (!invoice) return (await orders.end(tx, eventId, ending)) ?? unmatched;
  const { id, accountId } = invoice;
  if (!(await removePending(tx, { id, accountId }))) return { outcome: 'IGNORED', accountId };
  await recordAudit(tx, {
    accountId,
    actor: billingActor,
    action: 'invoice.remove',
    subject: { type: 'invoice', id },
    changes: { events: [eventId] },
  });
  return { outcome: 'APPLIED', accountId };
};

/** Whose invoice, or order, an event is about that changes nothing. */
export const findPayer = async (
  tx: Transaction,
  { orders }: Pick<Tools, 'orders'>,
  paidFor: string,
): Promise<string | null> =>
  (await findInvoice(tx, paidFor))?.accountId ?? orders.findBuyer(tx, paidFor);

type Invoice = NonNullable<Awaited<ReturnType<typeof lockInvoice>>>;

/** Providers give back whatever name they were given: any text. */
const findInvoice = async (tx: Transaction, text: string): Promise<Invoice | undefined> => {
  const invoiceId = z.guid().safeParse(text).data;
  return invoiceId === undefined ? undefined : lockInvoice(tx, invoiceId);
};

const isWhole = ({ amountCents, currency }: Payment, invoice: Invoice): boolean =>
  (amountCents === undefined || amountCents === invoice.amountCents) &&
  (currency === undefined || currency === invoice.currency);

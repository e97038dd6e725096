import { and, asc, desc, eq, gt, inArray, isNull, like, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { newId } from '../../../kernel/ids.ts';
import { type LateState, orderPayments } from '../table.ts';

type NewPayment = Omit<typeof orderPayments.$inferInsert, 'id' | 'createdAt'>;

/** Undefined where it is stored already. */
export const insertPayment = async (tx: Transaction, payment: NewPayment) => {
  const [inserted] = await tx
    .insert(orderPayments)
    .values({ id: newId(), ...payment })
    .onConflictDoNothing()
    .returning({ id: orderPayments.id });
  return inserted?.id;
};

const { orderId, isCredited, paymentIntent, provider, providerRef } = orderPayments;
const { amountCents, currency } = orderPayments;
const { lateState, returnedCents } = orderPayments;
const storedFields = {
  ...{ id: orderPayments.id, orderId, provider, paymentIntent, isCredited, amountCents, currency },
  ...{ lateState, returnedCents },
};
type PaymentName = { id: string; orderId: string };

export const findPayment = (db: Queryable, paymentId: string) =>
  firstRow(db.select(storedFields).from(orderPayments).where(eq(orderPayments.id, paymentId)));

export type StoredPayment = NonNullable<Awaited<ReturnType<typeof findPayment>>>;

const isPayment = (payment: PaymentName) =>
  and(eq(orderPayments.id, payment.id), eq(orderId, payment.orderId));

export const updatePayment = async (
  tx: Transaction,
  payment: PaymentName,
  changes: { lateState: LateState; returnedCents?: number },
): Promise<void> => {
  await tx.update(orderPayments).set(changes).where(isPayment(payment));
};

/** The provider has refunded so much more; once all is refunded, nothing is left to return. */
export const addReturnedCents = async (tx: Transaction, payment: PaymentName, cents: number) => {
  const sum = sql`least(${amountCents}, ${returnedCents} + ${cents})`;
  await tx
    .update(orderPayments)
    .set({
      returnedCents: sum,
      lateState: sql`case when ${sum} >= ${amountCents} then 'RETURNED' else ${lateState} end`,
    })
    .where(isPayment(payment));
};

/** Payments that are still to be refunded, the oldest first. */
export const listReturningPayments = (db: Queryable, before: Date, limit: number) =>
  db
    .select({ id: orderPayments.id })
    .from(orderPayments)
    .where(and(eq(lateState, 'RETURNING'), lt(orderPayments.createdAt, before)))
    .orderBy(asc(orderPayments.createdAt))
    .limit(limit);

/** The payment of a payment intent. One that was accepted comes before a mismatch. */
export const findPaymentByIntent = async (tx: Transaction, intent: string) => {
  const [payment] = await tx
    .select(storedFields)
    .from(orderPayments)
    .where(and(eq(provider, 'CARD'), eq(paymentIntent, intent)))
    .orderBy(desc(amountCents))
    .limit(1);
  return payment;
};

/**
 * The payment that a charge without a known intent must belong to: the order's first payment before late
 * ones. If the charge has an intent, only a payment without one can match.
 */
export const findUnidentifiedPayment = async (
  tx: Transaction,
  ofOrder: string,
  intent: string | null,
) => {
  const [payment] = await tx
    .select(storedFields)
    .from(orderPayments)
    .where(
      and(
        ...[eq(provider, 'CARD'), eq(orderId, ofOrder), gt(amountCents, 0)],
        intent === null ? undefined : isNull(paymentIntent),
      ),
    )
    .orderBy(asc(isCredited), asc(orderPayments.createdAt))
    .limit(1);
  return payment;
};

/** A payment that was not accepted. It has no amount, so that a refund of it changes nothing. */
export const insertMismatch = async (tx: Transaction, payment: NewPayment): Promise<void> => {
  const providerRef = `mismatch:${payment.providerRef}`;
  await insertPayment(tx, { ...payment, amountCents: 0, isCredited: true, providerRef });
};

const earlyRefundRef = (name: string): string => `refund:${name}`;

type EarlyRefund = {
  orderId: string;
  intent: string | null;
  amountCents: number;
  currency: string;
};

/** Stores a refund that was reported before its payment. */
export const addEarlyRefund = async (tx: Transaction, refund: EarlyRefund): Promise<void> => {
  await tx
    .insert(orderPayments)
    .values({
      ...{ id: newId(), orderId: refund.orderId, provider: 'CARD', isCredited: true },
      ...{
        providerRef: earlyRefundRef(refund.intent ?? refund.orderId),
        currency: refund.currency,
      },
      amountCents: -refund.amountCents,
    })
    .onConflictDoUpdate({
      target: [provider, providerRef],
      set: { amountCents: sql`${amountCents} - ${refund.amountCents}` },
    });
};

/** Deletes the early refunds of this payment and returns their sum. */
export const consumeEarlyRefunds = async (
  tx: Transaction,
  { orderId: ofOrder, intent }: { orderId: string; intent: string | null },
): Promise<number> => {
  const isOfPayment =
    intent === null
      ? like(providerRef, earlyRefundRef('%'))
      : inArray(providerRef, [earlyRefundRef(intent), earlyRefundRef(ofOrder)]);
  const deleted = await tx
    .delete(orderPayments)
    .where(and(eq(provider, 'CARD'), eq(orderId, ofOrder), isOfPayment))
    .returning({ amountCents });
  return deleted.reduce((sum, refund) => sum - refund.amountCents, 0);
};

import { and, asc, desc, eq, gt, inArray, isNull, like, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../../db/connect.ts';
import { newId } from '../../../../kernel/ids.ts';
import { type LateState, orderPayments } from '../../table.ts';

type NewPayment = Omit<typeof orderPayments.$inferInsert, 'id' | 'createdAt'>;

/** Undefined where it was told before. */
export const insertPayment = async (
  tx: Transaction,
  payment: NewPayment,
): Promise<string | undefined> => {
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
const shown = {
  ...{ id: orderPayments.id, orderId, provider, paymentIntent, isCredited, amountCents, currency },
  ...{ lateState, returnedCents },
};
type Payment = { id: string; orderId: string };

export const findPayment = async (db: Queryable, paymentId: string) => {
  const [payment] = await db
    .select(shown)
    .from(orderPayments)
    .where(eq(orderPayments.id, paymentId));
  return payment;
};

const isThis = (payment: Payment) =>
  and(eq(orderPayments.id, payment.id), eq(orderId, payment.orderId));

export const updatePayment = async (
  tx: Transaction,
  payment: Payment,
  changes: { lateState: LateState; returnedCents?: number },
): Promise<void> => {
  await tx.update(orderPayments).set(changes).where(isThis(payment));
};

/** The provider has given so much of it back; with the last of it there is nothing left to ask for. */
export const tellReturned = async (
  tx: Transaction,
  payment: Payment,
  cents: number,
): Promise<void> => {
  const sum = sql`least(${amountCents}, ${returnedCents} + ${cents})`;
  await tx
    .update(orderPayments)
    .set({
      returnedCents: sum,
      lateState: sql`case when ${sum} >= ${amountCents} then 'RETURNED' else ${lateState} end`,
    })
    .where(isThis(payment));
};

/** Those that nobody has given back since, the oldest first. */
export const listReturning = (db: Queryable, before: Date, most: number) =>
  db
    .select({ id: orderPayments.id })
    .from(orderPayments)
    .where(and(eq(lateState, 'RETURNING'), lt(orderPayments.createdAt, before)))
    .orderBy(asc(orderPayments.createdAt))
    .limit(most);

/** Which order a charge's payment was for, where it is known by that; one that was taken comes first. */
export const findByIntent = async (tx: Transaction, intent: string) => {
  const [payment] = await tx
    .select(shown)
    .from(orderPayments)
    .where(and(eq(provider, 'CARD'), eq(paymentIntent, intent)))
    .orderBy(desc(amountCents))
    .limit(1);
  return payment;
};

/**
 * Which payment of an order a charge must be of that names no other: the one that was held before those
 * that came too late. Where the charge has an intent, only one of which none is known.
 */
export const findUnnamed = async (tx: Transaction, ofOrder: string, intent: string | null) => {
  const [payment] = await tx
    .select(shown)
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

const mismatchRef = (ref: string): string => `mismatch:${ref}`;

/** One that was not taken, so that nothing is given back of it either. */
export const insertMismatch = async (tx: Transaction, payment: NewPayment): Promise<void> => {
  const nothing = { amountCents: 0, isCredited: true };
  await insertPayment(tx, {
    ...payment,
    ...nothing,
    providerRef: mismatchRef(payment.providerRef),
  });
};

const aheadRef = (name: string): string => `refund:${name}`;

type Ahead = { orderId: string; intent: string | null; amountCents: number; currency: string };

/** Given back before it was told to have come. */
export const addAhead = async (tx: Transaction, ahead: Ahead): Promise<void> => {
  await tx
    .insert(orderPayments)
    .values({
      ...{ id: newId(), orderId: ahead.orderId, provider: 'CARD', isCredited: true },
      ...{ providerRef: aheadRef(ahead.intent ?? ahead.orderId), currency: ahead.currency },
      amountCents: -ahead.amountCents,
    })
    .onConflictDoUpdate({
      target: [provider, providerRef],
      set: { amountCents: sql`${amountCents} - ${ahead.amountCents}` },
    });
};

/** What was given back ahead of this payment; it is forgotten by that. */
export const takeAhead = async (
  tx: Transaction,
  { orderId: ofOrder, intent }: { orderId: string; intent: string | null },
): Promise<number> => {
  const isOfPayment =
    intent === null
      ? like(providerRef, aheadRef('%'))
      : inArray(providerRef, [aheadRef(intent), aheadRef(ofOrder)]);
  const taken = await tx
    .delete(orderPayments)
    .where(and(eq(provider, 'CARD'), eq(orderId, ofOrder), isOfPayment))
    .returning({ amountCents });
  return taken.reduce((sum, ahead) => sum - ahead.amountCents, 0);
};

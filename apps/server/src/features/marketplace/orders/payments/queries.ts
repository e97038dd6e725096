import { and, asc, desc, eq, gt, inArray, isNull, like, sql } from 'drizzle-orm';
import type { Transaction } from '../../../../db/connect.ts';
import { newId } from '../../../../kernel/ids.ts';
import { orderPayments } from '../../table.ts';

type NewPayment = Omit<typeof orderPayments.$inferInsert, 'id' | 'createdAt'>;

/** False where it was told before. */
export const insertPayment = async (tx: Transaction, payment: NewPayment): Promise<boolean> => {
  const inserted = await tx
    .insert(orderPayments)
    .values({ id: newId(), ...payment })
    .onConflictDoNothing()
    .returning({ id: orderPayments.id });
  return inserted.length > 0;
};

const { orderId, isCredited, paymentIntent, provider, providerRef } = orderPayments;
const { amountCents, currency } = orderPayments;
const shown = { orderId, isCredited, amountCents, currency };

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

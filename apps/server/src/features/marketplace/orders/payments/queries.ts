import { and, asc, eq } from 'drizzle-orm';
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

const { orderId, isCredited, paymentIntent, provider } = orderPayments;

/** Which order a charge's payment was for, where it is known by that. */
export const findByIntent = async (tx: Transaction, intent: string) => {
  const [payment] = await tx
    .select({ orderId, isCredited })
    .from(orderPayments)
    .where(and(eq(provider, 'CARD'), eq(paymentIntent, intent)));
  return payment;
};

/** The first is the one that was held; those that came too late are the buyer's. */
export const findFirstPayment = async (tx: Transaction, ofOrder: string) => {
  const [payment] = await tx
    .select({ orderId, isCredited })
    .from(orderPayments)
    .where(and(eq(provider, 'CARD'), eq(orderId, ofOrder)))
    .orderBy(asc(isCredited), asc(orderPayments.createdAt))
    .limit(1);
  return payment;
};

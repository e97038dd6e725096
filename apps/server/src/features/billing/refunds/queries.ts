import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Transaction } from '../../../db/connect.ts';
import { billingCharges } from '../table.ts';

const { chargeId, customerId, accountId, currency, refundedCents } = billingCharges;
const heldFields = { chargeId, accountId, currency, refundedCents };

export type HeldCharge = {
  chargeId: string;
  accountId: string | null;
  currency: string;
  refundedCents: number;
};

/** The charge, made if need be with nothing refunded, and held. */
export const lockCharge = async (
  tx: Transaction,
  charge: {
    chargeId: string;
    customerId: string | null;
    paymentIntent: string | null;
    currency: string;
  },
): Promise<HeldCharge> => {
  const [held] = await tx
    .insert(billingCharges)
    .values({ ...charge, refundedCents: 0 })
    .onConflictDoUpdate({
      target: chargeId,
      set: {
        paymentIntent: sql`coalesce(${billingCharges.paymentIntent}, excluded.payment_intent)`,
      },
    })
    .returning(heldFields);
  if (!held) throw new Error('The charge could not be stored');
  return held;
};

export const lockWaitingCharges = (tx: Transaction, ofCustomer: string): Promise<HeldCharge[]> =>
  tx
    .select(heldFields)
    .from(billingCharges)
    .where(and(eq(customerId, ofCustomer), isNull(accountId)))
    .orderBy(asc(chargeId))
    .for('update');

export const storeCharge = async (
  tx: Transaction,
  held: { chargeId: string },
  changes: { accountId: string | null; refundedCents: number },
): Promise<void> => {
  await tx.update(billingCharges).set(changes).where(eq(chargeId, held.chargeId));
};

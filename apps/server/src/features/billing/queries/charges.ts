import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Transaction } from '../../../db/connect.ts';
import { billingCharges } from '../table.ts';

const { chargeId, customerId, accountId, currency, refundedCents } = billingCharges;
const storedFields = { chargeId, accountId, currency, refundedCents };

type Charge = typeof billingCharges.$inferSelect;
export type StoredCharge = Pick<Charge, 'chargeId' | 'accountId' | 'currency' | 'refundedCents'>;

/** Locks the charge. Inserts it with nothing refunded if need be. */
export const lockCharge = async (
  tx: Transaction,
  charge: Pick<Charge, 'chargeId' | 'customerId' | 'paymentIntent' | 'currency'>,
): Promise<StoredCharge> => {
  const [stored] = await tx
    .insert(billingCharges)
    .values({ ...charge, refundedCents: 0 })
    .onConflictDoUpdate({
      target: chargeId,
      set: {
        paymentIntent: sql`coalesce(${billingCharges.paymentIntent}, excluded.payment_intent)`,
      },
    })
    .returning(storedFields);
  if (!stored) throw new Error('The charge could not be stored');
  return stored;
};

/** The charges of a customer that have no account yet. */
export const lockWaitingCharges = (tx: Transaction, ofCustomer: string): Promise<StoredCharge[]> =>
  tx
    .select(storedFields)
    .from(billingCharges)
    .where(and(eq(customerId, ofCustomer), isNull(accountId)))
    .orderBy(asc(chargeId))
    .for('update');

export const storeCharge = async (
  tx: Transaction,
  id: string,
  changes: Pick<Charge, 'accountId' | 'refundedCents'>,
): Promise<void> => {
  await tx.update(billingCharges).set(changes).where(eq(chargeId, id));
};

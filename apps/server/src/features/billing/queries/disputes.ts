import { and, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { DisputeState } from '../rules.ts';
import { billingCharges, billingDisputes, billingPaymentRefs } from '../table.ts';

const { disputeId, chargeId, paymentIntent, state, applied } = billingDisputes;
const { amountCents, currency, heldCents, accountId } = billingDisputes;
const storedFields = {
  ...{ disputeId, chargeId, paymentIntent, state, applied },
  ...{ amountCents, currency, heldCents, accountId },
};

export type StoredDispute = Omit<typeof billingDisputes.$inferSelect, 'createdAt'>;

/**
 * Must be taken before every other lock but the event's own row, both by those who store what a charge
 * paid for and by those who read it, so that neither misses the other.
 */
export const lockPaymentRefs = async (tx: Transaction, refs: readonly (string | null)[]) => {
  for (const ref of givenRefs(refs)) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`payment:${ref}`}, 0))`);
  }
};

const givenRefs = (refs: readonly (string | null)[]): string[] =>
  [...new Set(refs.filter((ref) => ref !== null))].toSorted();

/** The last event counts, but a closed dispute stays closed. */
export const storeDispute = async (
  tx: Transaction,
  dispute: Omit<StoredDispute, 'applied' | 'heldCents' | 'accountId'>,
): Promise<StoredDispute> => {
  const [stored] = await tx
    .insert(billingDisputes)
    .values(dispute)
    .onConflictDoUpdate({
      target: disputeId,
      set: {
        state: sql`case when ${state} = 'OPEN' then excluded.state else ${state} end`,
        chargeId: sql`coalesce(${chargeId}, excluded.charge_id)`,
        paymentIntent: sql`coalesce(${paymentIntent}, excluded.payment_intent)`,
      },
    })
    .returning(storedFields);
  if (!stored) throw new Error('The dispute could not be stored');
  return stored;
};

const selectDispute = (db: Queryable, id: string) =>
  db.select(storedFields).from(billingDisputes).where(eq(disputeId, id));

export const findDispute = async (db: Queryable, id: string): Promise<StoredDispute | undefined> =>
  (await selectDispute(db, id))[0];

export const lockDispute = async (
  tx: Transaction,
  id: string,
): Promise<StoredDispute | undefined> => (await selectDispute(tx, id).for('update'))[0];

export const markApplied = async (
  tx: Transaction,
  id: string,
  changes: { applied: DisputeState; accountId: string; heldCents: number },
): Promise<void> => {
  await tx.update(billingDisputes).set(changes).where(eq(disputeId, id));
};

/** The payment intent of a charge, if an event has named it. */
export const findPaymentIntent = async (db: Queryable, charge: string): Promise<string | null> => {
  const [found] = await db
    .select({ intent: billingCharges.paymentIntent })
    .from(billingCharges)
    .where(eq(billingCharges.chargeId, charge));
  return found?.intent ?? null;
};

export const storePaymentRefs = async (
  tx: Transaction,
  subscriptionRef: string,
  refs: readonly (string | null)[],
): Promise<void> => {
  const rows = givenRefs(refs).map((ref) => ({ ref, subscriptionRef }));
  if (rows.length > 0) await tx.insert(billingPaymentRefs).values(rows).onConflictDoNothing();
};

export const listPaymentRefs = async (db: Queryable, subscriptionRef: string) => {
  const found = await db
    .select({ ref: billingPaymentRefs.ref })
    .from(billingPaymentRefs)
    .where(eq(billingPaymentRefs.subscriptionRef, subscriptionRef));
  return found.map(({ ref }) => ref);
};

/** The subscription that one of these charges or payment intents paid for. */
export const findPaidSubscription = async (db: Queryable, refs: readonly (string | null)[]) => {
  const given = givenRefs(refs);
  if (given.length === 0) return undefined;
  const [found] = await db
    .select({ subscriptionRef: billingPaymentRefs.subscriptionRef })
    .from(billingPaymentRefs)
    .where(inArray(billingPaymentRefs.ref, given))
    .limit(1);
  return found?.subscriptionRef;
};

/** Disputes of these payments that were not applied, because it was unknown what was paid for. */
export const listWaitingDisputes = async (db: Queryable, refs: readonly (string | null)[]) => {
  const given = givenRefs(refs);
  if (given.length === 0) return [];
  const charges = db
    .select({ chargeId: billingCharges.chargeId })
    .from(billingCharges)
    .where(inArray(billingCharges.paymentIntent, given));
  const waiting = await db
    .select({ disputeId })
    .from(billingDisputes)
    .where(
      and(
        isNull(applied),
        or(inArray(paymentIntent, given), inArray(chargeId, given), inArray(chargeId, charges)),
      ),
    );
  return waiting.map((dispute) => dispute.disputeId);
};

/** The states of the disputes of one payment. */
export const listDisputeStates = async (
  db: Queryable,
  intent: string,
  { except }: { except?: string } = {},
): Promise<DisputeState[]> => {
  const disputes = await db
    .select({ state })
    .from(billingDisputes)
    .where(
      and(eq(paymentIntent, intent), except === undefined ? undefined : ne(disputeId, except)),
    );
  return disputes.map((dispute) => dispute.state);
};

import { and, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import {
  billingCharges,
  billingDisputes,
  billingPaymentRefs,
  type DisputeState,
} from '../table.ts';

const { disputeId, chargeId, paymentIntent, state, applied } = billingDisputes;
const heldFields = {
  ...{ disputeId, chargeId, paymentIntent, state, applied },
  amountCents: billingDisputes.amountCents,
  currency: billingDisputes.currency,
  heldCents: billingDisputes.heldCents,
  accountId: billingDisputes.accountId,
};

export type HeldDispute = {
  disputeId: string;
  chargeId: string | null;
  paymentIntent: string | null;
  state: DisputeState;
  applied: DisputeState | null;
  amountCents: number;
  currency: string;
  heldCents: number;
  accountId: string | null;
};

/**
 * Taken before every other lock but the event's own row, by whoever tells what a charge paid for and by
 * whoever asks: so neither misses the other.
 */
export const lockPaymentRefs = async (
  tx: Transaction,
  refs: readonly (string | null)[],
): Promise<void> => {
  for (const ref of knownRefs(refs)) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`payment:${ref}`}, 0))`);
  }
};

const knownRefs = (refs: readonly (string | null)[]): string[] =>
  [...new Set(refs.filter((ref) => ref !== null))].toSorted();

/** What is told last counts, but one that is closed stays closed. */
export const storeDispute = async (
  tx: Transaction,
  told: Omit<HeldDispute, 'applied' | 'heldCents' | 'accountId'>,
): Promise<HeldDispute> => {
  const [held] = await tx
    .insert(billingDisputes)
    .values(told)
    .onConflictDoUpdate({
      target: disputeId,
      set: {
        state: sql`case when ${state} = 'OPEN' then excluded.state else ${state} end`,
        chargeId: sql`coalesce(${chargeId}, excluded.charge_id)`,
        paymentIntent: sql`coalesce(${paymentIntent}, excluded.payment_intent)`,
      },
    })
    .returning(heldFields);
  if (!held) throw new Error('The dispute could not be stored');
  return held;
};

export const findDispute = async (
  db: Queryable,
  wanted: string,
): Promise<HeldDispute | undefined> => {
  const [found] = await db.select(heldFields).from(billingDisputes).where(eq(disputeId, wanted));
  return found;
};

export const lockDispute = async (
  tx: Transaction,
  wanted: string,
): Promise<HeldDispute | undefined> => {
  const [held] = await tx
    .select(heldFields)
    .from(billingDisputes)
    .where(eq(disputeId, wanted))
    .for('update');
  return held;
};

export const markApplied = async (
  tx: Transaction,
  wanted: string,
  changes: { applied: DisputeState; accountId: string | null; heldCents: number },
): Promise<void> => {
  await tx.update(billingDisputes).set(changes).where(eq(disputeId, wanted));
};

/** The payment intent that a charge belongs to, where an event told it. */
export const findIntentOf = async (db: Queryable, charge: string): Promise<string | null> => {
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
  const rows = knownRefs(refs).map((ref) => ({ ref, subscriptionRef }));
  if (rows.length > 0) await tx.insert(billingPaymentRefs).values(rows).onConflictDoNothing();
};

export const findSubscriptionPaid = async (
  db: Queryable,
  refs: readonly (string | null)[],
): Promise<string | undefined> => {
  const known = knownRefs(refs);
  if (known.length === 0) return undefined;
  const [found] = await db
    .select({ subscriptionRef: billingPaymentRefs.subscriptionRef })
    .from(billingPaymentRefs)
    .where(inArray(billingPaymentRefs.ref, known))
    .limit(1);
  return found?.subscriptionRef;
};

/** Disputes of these payments that had no effect yet, since nobody knew what was paid for. */
export const listWaitingDisputes = async (
  db: Queryable,
  refs: readonly (string | null)[],
): Promise<string[]> => {
  const known = knownRefs(refs);
  if (known.length === 0) return [];
  const charges = db
    .select({ chargeId: billingCharges.chargeId })
    .from(billingCharges)
    .where(inArray(billingCharges.paymentIntent, known));
  const waiting = await db
    .select({ disputeId })
    .from(billingDisputes)
    .where(
      and(
        isNull(applied),
        or(inArray(paymentIntent, known), inArray(chargeId, known), inArray(chargeId, charges)),
      ),
    );
  return waiting.map((dispute) => dispute.disputeId);
};

/** How disputes of one payment stand, but for this one. */
export const listOtherStates = async (
  db: Queryable,
  { intent, but }: { intent: string; but: string },
): Promise<DisputeState[]> => {
  const others = await db
    .select({ state })
    .from(billingDisputes)
    .where(and(eq(paymentIntent, intent), ne(disputeId, but)));
  return others.map((other) => other.state);
};

/** All by which payments of a subscription are known. */
export const listPaymentRefs = async (
  db: Queryable,
  subscriptionRef: string,
): Promise<string[]> => {
  const found = await db
    .select({ ref: billingPaymentRefs.ref })
    .from(billingPaymentRefs)
    .where(eq(billingPaymentRefs.subscriptionRef, subscriptionRef));
  return found.map(({ ref }) => ref);
};

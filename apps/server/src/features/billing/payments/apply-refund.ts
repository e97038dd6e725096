import type { Transaction } from '../../../db/connect.ts';
import { holdAccount } from '../../accounts/queries.ts';
import { type AuditedChange, recordAudits } from '../../audit/queries.ts';
import { billingActor, type EventResult } from '../events/order-payments.ts';
import type { BillingDependencies } from '../events/process-event.ts';
import { post } from '../ledger/post.ts';
import { lockCharge, type StoredCharge, storeCharge } from '../queries/charges.ts';
import { lockCustomer } from '../queries/customers.ts';
import { lockPaymentRefs } from '../queries/disputes.ts';
import { claimWaitingEvents } from '../queries/events.ts';
import { enqueueWaitingDisputes } from './jobs.ts';

/** An event about a charge that was refunded, in part or as a whole. */
export type RefundEvent = {
  about: 'refund';
  chargeId: string;
  customerId: string | null;
  accountId: string | null;
  /** The sum of all refunds of this charge. */
  refundedCents: number;
  currency: string;
  /** The order that the charge paid for, if its metadata names one. */
  orderId: string | null;
  paymentIntent: string | null;
};

/**
 * Amounts are cumulative: what exceeds the ledger's credit for this charge is credited. A refund of an
 * order's payment is taken from the order's money instead.
 */
export const applyRefund = async (
  tx: Transaction,
  dependencies: Pick<BillingDependencies, 'orders' | 'queue'>,
  eventId: string,
  event: RefundEvent,
): Promise<EventResult> => {
  const { chargeId, customerId, paymentIntent, currency } = event;
  const paymentRefs = [chargeId, paymentIntent];
  await lockPaymentRefs(tx, paymentRefs);
  const customer = customerId === null ? undefined : await lockCustomer(tx, customerId);
  const charge = await lockCharge(tx, { chargeId, customerId, paymentIntent, currency });
  const known = { eventId, accountId: customer?.accountId ?? null };
  await enqueueWaitingDisputes(tx, dependencies, known, paymentRefs);
  const refundedCents = Math.max(charge.refundedCents, event.refundedCents);
  const amountCents = refundedCents - creditedCents(charge);
  const ofOrder =
    amountCents > 0
      ? await dependencies.orders.refund(tx, eventId, { ...event, amountCents })
      : undefined;
  // Nothing of it counts: the provider's next total of this charge does.
  if (ofOrder?.outcome === 'MISMATCH') return { ...ofOrder, subjectRef: chargeId };
  if (ofOrder) {
    await storeCharge(tx, chargeId, { accountId: ofOrder.accountId, refundedCents });
    return { ...ofOrder, subjectRef: chargeId };
  }
  const accountId =
    charge.accountId ?? customer?.accountId ?? (await findNamedAccount(tx, event.accountId));
  const result = { accountId, subjectRef: chargeId };
  if (charge.currency !== currency) return { outcome: 'MISMATCH', ...result };
  if (accountId === null) {
    await storeCharge(tx, chargeId, { accountId, refundedCents });
    return { outcome: 'UNMATCHED', ...result };
  }
  const credit = { accountId, refundedCents, events: [eventId] };
  const entries = await creditRefund(tx, charge, credit);
  await recordAudits(tx, entries);
  return { outcome: entries.length > 0 ? 'APPLIED' : 'IGNORED', ...result };
};

/** Nothing is credited while the account is unknown. */
const creditedCents = ({ accountId, refundedCents }: StoredCharge): number =>
  accountId === null ? 0 : refundedCents;

const findNamedAccount = async (tx: Transaction, accountId: string | null) =>
  accountId !== null && (await holdAccount(tx, accountId)) ? accountId : null;

/** Credits refunds that were reported before their account was known. */
export const creditWaitingRefund = (tx: Transaction, charge: StoredCharge, accountId: string) =>
  creditRefund(tx, charge, { accountId, refundedCents: charge.refundedCents, events: [] });

type Credit = { accountId: string; refundedCents: number; events: string[] };

const creditRefund = async (
  tx: Transaction,
  charge: StoredCharge,
  { accountId, refundedCents, events }: Credit,
): Promise<AuditedChange[]> => {
  const isNew = charge.accountId === null;
  const amountCents = refundedCents - creditedCents(charge);
  if (amountCents <= 0) return [];
  const { chargeId, currency } = charge;
  await storeCharge(tx, chargeId, { accountId, refundedCents });
  const waiting = isNew ? await claimWaitingEvents(tx, chargeId, accountId) : [];
  const posted = await post(tx, {
    type: 'REFUND',
    reference: chargeId,
    onceKey: `refund:${chargeId}:${refundedCents}`,
    currency,
    postings: [
      { accountId, pot: 'CREDIT', amountCents },
      { account: 'provider:card', amountCents: -amountCents },
    ],
  });
  const changes = {
    events: [...waiting, ...events],
    ...{ amountCents, currency, balanceCents: posted?.balances[0]?.balanceCents },
  };
  const subject = { type: 'charge', id: chargeId };
  return [{ accountId, actor: billingActor, action: 'ledger.refund', subject, changes }];
};

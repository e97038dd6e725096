import type { Transaction } from '../../../db/connect.ts';
import { recordAudit } from '../../audit/queries.ts';
import { isUser } from '../../users/queries.ts';
import { lockCustomer } from '../customers/queries.ts';
import { claimWaitingEvents } from '../events/queries.ts';
import { post } from '../ledger/post.ts';
import { billingActor, type Settlement } from '../tools.ts';
import { type HeldCharge, lockCharge, storeCharge } from './queries.ts';

/** What an event tells about a charge that was refunded, in part or as a whole. */
export type RefundNews = {
  about: 'charge';
  chargeId: string;
  customerId: string | null;
  userId: string | null;
  /** All that was refunded of it so far. */
  refundedCents: number;
  currency: string;
};

/** Amounts are cumulative: what is more than the ledger holds for that charge is credited. */
export const applyRefund = async (
  tx: Transaction,
  eventId: string,
  { chargeId, customerId, userId: named, refundedCents, currency }: RefundNews,
): Promise<Settlement> => {
  const customer = customerId === null ? undefined : await lockCustomer(tx, customerId);
  const held = await lockCharge(tx, { chargeId, customerId, currency });
  const userId = held.userId ?? customer?.userId ?? (await userNamed(tx, named));
  const settled = { userId, subjectRef: chargeId };
  const largest = Math.max(held.refundedCents, refundedCents);
  if (userId === null) {
    await storeCharge(tx, held, { userId, refundedCents: largest });
    return { outcome: 'UNMATCHED', ...settled };
  }
  const credit = { userId, refundedCents: largest, events: [eventId] };
  const hasChanged = await creditRefund(tx, held, credit);
  return { outcome: hasChanged ? 'APPLIED' : 'IGNORED', ...settled };
};

const userNamed = async (tx: Transaction, userId: string | null): Promise<string | null> =>
  userId !== null && (await isUser(tx, userId)) ? userId : null;

/** Refunds that were told before anybody knew whose they are. */
export const creditWaitingRefund = async (
  tx: Transaction,
  held: HeldCharge,
  userId: string,
): Promise<void> => {
  await creditRefund(tx, held, { userId, refundedCents: held.refundedCents, events: [] });
};

type Credit = { userId: string; refundedCents: number; events: string[] };

const creditRefund = async (
  tx: Transaction,
  held: HeldCharge,
  { userId, refundedCents, events }: Credit,
): Promise<boolean> => {
  const isNew = held.userId === null;
  const amountCents = refundedCents - (isNew ? 0 : held.refundedCents);
  if (amountCents <= 0) return false;
  const { chargeId, currency } = held;
  await storeCharge(tx, held, { userId, refundedCents });
  const waited = isNew ? await claimWaitingEvents(tx, chargeId, userId) : [];
  const posted = await post(tx, {
    type: 'REFUND',
    reference: chargeId,
    onceKey: `refund:${chargeId}:${refundedCents}`,
    currency,
    postings: [
      { userId, amountCents },
      { account: 'provider:card', amountCents: -amountCents },
    ],
  });
  await recordAudit(tx, {
    userId,
    actor: billingActor,
    action: 'ledger.refund',
    subject: { type: 'charge', id: chargeId },
    changes: {
      events: [...waited, ...events],
      ...{ amountCents, currency, balanceCents: posted?.balances.get(userId) },
    },
  });
  return true;
};

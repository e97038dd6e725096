import type { Transaction } from '../../../db/connect.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { holdAccount } from '../../accounts/queries.ts';
import { lockCustomer } from '../customers/queries.ts';
import { wakeDisputes } from '../disputes/apply-dispute.ts';
import { lockPaymentRefs } from '../disputes/queries.ts';
import { claimWaitingEvents } from '../events/queries.ts';
import { post } from '../ledger/post.ts';
import { type BillingTools, billingActor, type Settlement } from '../tools.ts';
import { type HeldCharge, lockCharge, storeCharge } from './queries.ts';

/** What an event tells about a charge that was refunded, in part or as a whole. */
export type RefundNews = {
  about: 'charge';
  chargeId: string;
  customerId: string | null;
  accountId: string | null;
  /** All that was refunded of it so far. */
  refundedCents: number;
  currency: string;
  /** What was bought with it, as far as the charge tells. */
  orderId: string | null;
  paymentIntent: string | null;
};

/**
 * Amounts are cumulative: what is more than the ledger holds for that charge is credited. Money that was
 * paid for an order is taken back from wherever the order's money is instead.
 */
export const applyRefund = async (
  tx: Transaction,
  tools: Pick<BillingTools, 'orders' | 'queue'>,
  eventId: string,
  news: RefundNews,
): Promise<Settlement> => {
  const { chargeId, customerId, accountId: named, refundedCents, currency } = news;
  const refs = [chargeId, news.paymentIntent];
  await lockPaymentRefs(tx, refs);
  const customer = customerId === null ? undefined : await lockCustomer(tx, customerId);
  const { paymentIntent } = news;
  const held = await lockCharge(tx, { chargeId, customerId, paymentIntent, currency });
  await wakeDisputes(tx, tools, eventId, refs);
  const largest = Math.max(held.refundedCents, refundedCents);
  const amountCents = largest - knownCents(held);
  const ofOrder =
    amountCents > 0 ? await tools.orders.refund(tx, eventId, { ...news, amountCents }) : undefined;
  if (ofOrder) {
    await storeCharge(tx, held, { accountId: ofOrder.accountId, refundedCents: largest });
    return { ...ofOrder, subjectRef: chargeId };
  }
  const accountId = held.accountId ?? customer?.accountId ?? (await userNamed(tx, named));
  const settled = { accountId, subjectRef: chargeId };
  if (accountId === null) {
    await storeCharge(tx, held, { accountId, refundedCents: largest });
    return { outcome: 'UNMATCHED', ...settled };
  }
  const credit = { accountId, refundedCents: largest, events: [eventId] };
  const entries = await creditRefund(tx, held, credit);
  await recordAudits(tx, entries);
  return { outcome: entries.length > 0 ? 'APPLIED' : 'IGNORED', ...settled };
};

/** Until it has a user, all that was told of it still waits. */
const knownCents = ({ accountId, refundedCents }: HeldCharge): number =>
  accountId === null ? 0 : refundedCents;

const userNamed = async (tx: Transaction, accountId: string | null): Promise<string | null> =>
  accountId !== null && (await holdAccount(tx, accountId)) ? accountId : null;

/** Refunds that were told before anybody knew whose they are. */
export const creditWaitingRefund = (
  tx: Transaction,
  held: HeldCharge,
  accountId: string,
): Promise<AuditedChange[]> =>
  creditRefund(tx, held, { accountId, refundedCents: held.refundedCents, events: [] });

type Credit = { accountId: string; refundedCents: number; events: string[] };

const creditRefund = async (
  tx: Transaction,
  held: HeldCharge,
  { accountId, refundedCents, events }: Credit,
): Promise<AuditedChange[]> => {
  const isNew = held.accountId === null;
  const amountCents = refundedCents - knownCents(held);
  if (amountCents <= 0) return [];
  const { chargeId, currency } = held;
  await storeCharge(tx, held, { accountId, refundedCents });
  const waited = isNew ? await claimWaitingEvents(tx, chargeId, accountId) : [];
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
    events: [...waited, ...events],
    ...{ amountCents, currency, balanceCents: posted?.balances[0]?.balanceCents },
  };
  const subject = { type: 'charge', id: chargeId };
  return [{ accountId, actor: billingActor, action: 'ledger.refund', subject, changes }];
};

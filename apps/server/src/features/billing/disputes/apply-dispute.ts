import { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import type { Job } from '../../../queue/job.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { cancelCardSubscription } from '../pay/cancel-subscription.ts';
import { addFact } from '../rules.ts';
import { changeSubscription } from '../subscriptions/change.ts';
import { lockSubscription } from '../subscriptions/queries.ts';
import type { DisputeState } from '../table.ts';
import { type BillingTools, billingActor, type Settlement } from '../tools.ts';
import {
  findDispute,
  findIntentOf,
  findSubscriptionPaid,
  type HeldDispute,
  listOtherStates,
  listWaitingDisputes,
  lockDispute,
  lockPaymentRefs,
  markApplied,
  storeDispute,
} from './queries.ts';

/** What an event tells about a charge that its payer disputes. */
export type DisputeNews = {
  about: 'dispute';
  disputeId: string;
  chargeId: string | null;
  paymentIntent: string | null;
  amountCents: number;
  currency: string;
  state: DisputeState;
};

type Tools = Pick<BillingTools, 'clock' | 'queue' | 'billing' | 'orders'>;

/**
 * An open dispute freezes what its charge paid for; a closed one decides it. Events come in any order: what
 * is stored is the last state, a closed one for good, and only the step from what has had its effect to that
 * state is taken. Where nobody knows yet what the charge paid for, it waits.
 *
 * Locks: the payment's names, the dispute, then as `applyFact` or as orders say.
 */
export const applyDispute = async (
  tx: Transaction,
  tools: Tools,
  eventId: string,
  { about: _, ...told }: DisputeNews,
): Promise<Settlement> => {
  const intent = await resolveIntent(tx, told);
  await lockPaymentRefs(tx, [told.chargeId, intent]);
  const held = await storeDispute(tx, { ...told, paymentIntent: intent });
  return settleDispute(tx, tools, [eventId], held);
};

const resolveIntent = async (
  tx: Transaction | Database,
  { paymentIntent, chargeId }: { paymentIntent: string | null; chargeId: string | null },
): Promise<string | null> =>
  paymentIntent ?? (chargeId === null ? null : findIntentOf(tx, chargeId));

const settleDispute = async (
  tx: Transaction,
  tools: Tools,
  events: string[],
  held: HeldDispute,
): Promise<Settlement> => {
  const { disputeId, state, applied, chargeId, paymentIntent } = held;
  const subjectRef = chargeId ?? paymentIntent;
  const isDone = applied === state || (applied !== null && applied !== 'OPEN');
  if (isDone) return { outcome: 'IGNORED', accountId: held.accountId, subjectRef };
  const done =
    (await settleOrder(tx, tools, events, held)) ?? (await settlePlan(tx, tools, events, held));
  if (!done) return { outcome: 'UNMATCHED', accountId: null, subjectRef };
  const { accountId, heldCents } = done;
  await markApplied(tx, disputeId, { applied: state, accountId, heldCents });
  return { outcome: 'APPLIED', accountId, subjectRef };
};

type Done = { accountId: string | null; heldCents: number };

const settleOrder = async (
  tx: Transaction,
  { orders }: Tools,
  events: string[],
  held: HeldDispute,
): Promise<Done | undefined> => {
  const { disputeId, paymentIntent: intent, amountCents, currency, heldCents } = held;
  if (intent === null) return undefined;
  const others = await listOtherStates(tx, { intent, but: disputeId });
  return orders.dispute(tx, events, {
    ...{ intent, amountCents, currency, heldCents, from: held.applied, to: held.state },
    isOnlyOne: !others.includes('OPEN'),
  });
};

const settlePlan = async (
  tx: Transaction,
  tools: Tools,
  events: string[],
  { disputeId, chargeId, paymentIntent, state }: HeldDispute,
): Promise<Done | undefined> => {
  const providerRef = await findSubscriptionPaid(tx, [paymentIntent, chargeId]);
  if (providerRef === undefined) return undefined;
  const subscription = await lockSubscription(tx, {
    ...{ provider: 'CARD', providerRef, customerId: null },
  });
  const { accountId } = subscription;
  // Whose it is will be told by its checkout, which looks for disputes that wait.
  if (accountId === null) return undefined;
  const at = Math.floor(tools.clock.now().getTime() / 1000);
  const paymentRef = paymentIntent ?? chargeId ?? disputeId;
  const dispute = { disputeId, paymentRef, state };
  const facts = addFact(subscription.facts, { kind: 'dispute', at, ...dispute });
  const action = `subscription.dispute_${state.toLowerCase()}`;
  const change = { accountId, facts, actor: billingActor, action, events };
  const entries = await changeSubscription(tx, tools, subscription, change);
  const isRenewed = facts.prepaidUntil === undefined;
  if (state === 'LOST' && isRenewed) {
    await tools.queue.enqueue(tx, cancelCardSubscription, { providerRef });
  }
  await recordAudits(tx, entries);
  return { accountId, heldCents: 0 };
};

export const settleWaitingDispute = {
  name: 'billing.settle-dispute',
  payload: z.object({ disputeId: z.string().min(1), eventId: z.string().min(1) }),
};

/** It has become known what these payments were for: disputes that waited for that have their effect now. */
export const wakeDisputes = async (
  tx: Transaction,
  { queue }: Pick<Tools, 'queue'>,
  eventId: string,
  refs: readonly (string | null)[],
): Promise<void> => {
  for (const disputeId of await listWaitingDisputes(tx, refs)) {
    await queue.enqueue(tx, settleWaitingDispute, { disputeId, eventId });
  }
};

/** A job of its own: the event that woke it holds locks which come later than those of a dispute. */
export const settleWaitingDisputeJob = (
  tools: Tools & { db: Database },
): Job<{ disputeId: string; eventId: string }> => ({
  ...settleWaitingDispute,
  run: ({ disputeId, eventId }) => settleWaiting(tools, disputeId, eventId),
});

export const settleWaiting = async (
  tools: Tools & { db: Database },
  disputeId: string,
  eventId: string,
): Promise<void> => {
  const found = await findDispute(tools.db, disputeId);
  if (!found) return;
  const intent = await resolveIntent(tools.db, found);
  await tools.db.transaction(async (tx) => {
    await lockPaymentRefs(tx, [found.chargeId, intent]);
    const held = await lockDispute(tx, disputeId);
    if (held) await settleDispute(tx, tools, [eventId], { ...held, paymentIntent: intent });
  });
};

import type { AuditAction } from '@holdfast/contract';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { recordAudits } from '../../audit/queries.ts';
import { cancelCardSubscription } from '../card/jobs.ts';
import { billingActor, type EventResult } from '../events/order-payments.ts';
import type { BillingDependencies } from '../events/process-event.ts';
import {
  findPaidSubscription,
  findPaymentIntent,
  listDisputeStates,
  lockPaymentRefs,
  markApplied,
  type StoredDispute,
  storeDispute,
} from '../queries/disputes.ts';
import { lockSubscription } from '../queries/subscriptions.ts';
import { addFact, type DisputeState } from '../rules.ts';
import { changeSubscription } from '../subscriptions/change-subscription.ts';

/** An event about a charge that its payer disputes. */
export type DisputeEvent = {
  about: 'dispute';
  disputeId: string;
  chargeId: string | null;
  paymentIntent: string | null;
  amountCents: number;
  currency: string;
  state: DisputeState;
};

export type DisputeDependencies = Pick<
  BillingDependencies,
  'clock' | 'queue' | 'billing' | 'orders'
>;

/**
 * An open dispute freezes what its charge paid for; a closed one decides it. Events come in any order, so
 * the last state is stored (a closed one for good), and only the change from the applied state to the stored
 * one takes effect. A dispute waits until it is known what its charge paid for.
 *
 * Locks: the payment refs, the dispute, then those of `applySubscriptionEvent` or of orders.
 */
export const applyDispute = async (
  tx: Transaction,
  dependencies: DisputeDependencies,
  eventId: string,
  { about: _, ...event }: DisputeEvent,
): Promise<EventResult> => {
  const paymentIntent = await resolveIntent(tx, event);
  await lockPaymentRefs(tx, [event.chargeId, paymentIntent]);
  const dispute = await storeDispute(tx, { ...event, paymentIntent });
  return settleDispute(tx, dependencies, [eventId], dispute);
};

export const resolveIntent = async (
  db: Queryable,
  { paymentIntent, chargeId }: { paymentIntent: string | null; chargeId: string | null },
): Promise<string | null> =>
  paymentIntent ?? (chargeId === null ? null : findPaymentIntent(db, chargeId));

export const settleDispute = async (
  tx: Transaction,
  dependencies: DisputeDependencies,
  events: string[],
  dispute: StoredDispute,
): Promise<EventResult> => {
  const { disputeId, state, applied, chargeId, paymentIntent } = dispute;
  const subjectRef = chargeId ?? paymentIntent;
  const isDone = applied === state || (applied !== null && applied !== 'OPEN');
  if (isDone) return { outcome: 'IGNORED', accountId: dispute.accountId, subjectRef };
  const settled =
    (await settleOrder(tx, dependencies, events, dispute)) ??
    (await settleSubscription(tx, dependencies, events, dispute));
  if (!settled) return { outcome: 'UNMATCHED', accountId: null, subjectRef };
  await markApplied(tx, disputeId, { applied: state, ...settled });
  return { outcome: 'APPLIED', accountId: settled.accountId, subjectRef };
};

const actions = {
  OPEN: 'subscription.dispute_open',
  WON: 'subscription.dispute_won',
  LOST: 'subscription.dispute_lost',
} as const satisfies Record<DisputeState, AuditAction>;

type Settled = { accountId: string; heldCents: number };

const settleOrder = async (
  tx: Transaction,
  { orders }: DisputeDependencies,
  events: string[],
  dispute: StoredDispute,
): Promise<Settled | undefined> => {
  const { disputeId, paymentIntent: intent, amountCents, currency, heldCents } = dispute;
  if (intent === null) return undefined;
  const others = await listDisputeStates(tx, intent, { except: disputeId });
  return orders.dispute(tx, events, {
    ...{ intent, amountCents, currency, heldCents, from: dispute.applied, to: dispute.state },
    isOnlyOne: !others.includes('OPEN'),
  });
};

const settleSubscription = async (
  tx: Transaction,
  dependencies: DisputeDependencies,
  events: string[],
  { disputeId, chargeId, paymentIntent, state }: StoredDispute,
): Promise<Settled | undefined> => {
  const providerRef = await findPaidSubscription(tx, [paymentIntent, chargeId]);
  if (providerRef === undefined) return undefined;
  const subscription = await lockSubscription(tx, {
    ...{ provider: 'CARD', providerRef, customerId: null },
  });
  const { accountId } = subscription;
  // The checkout that names the account also looks for waiting disputes.
  if (accountId === null) return undefined;
  const at = Math.floor(dependencies.clock.now().getTime() / 1000);
  const paymentRef = paymentIntent ?? chargeId ?? disputeId;
  const fact = { kind: 'dispute', at, disputeId, paymentRef, state } as const;
  const facts = addFact(subscription.facts, fact);
  const change = { accountId, facts, actor: billingActor, action: actions[state], events };
  const entries = await changeSubscription(tx, dependencies, subscription, change);
  const isPrepaid = facts.prepaidUntil !== undefined;
  if (state === 'LOST' && !isPrepaid) {
    await dependencies.queue.enqueue(tx, cancelCardSubscription, { providerRef, accountId });
  }
  await recordAudits(tx, entries);
  return { accountId, heldCents: 0 };
};

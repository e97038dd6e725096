import type { AuditAction, PlanName, Subscription } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { conflict } from '../../../kernel/errors.ts';
import { canonicalJson } from '../../../kernel/json.ts';
import { recordAudits } from '../../audit/queries.ts';
import type { CardRefusal } from '../card/ask-provider.ts';
import { parseCardEvent } from '../card/parse-event.ts';
import type {
  CardSubscriptions,
  ReportedSubscription,
  SubscriptionRequest,
} from '../card/subscription-client.ts';
import {
  findCardSubscription,
  releaseChange,
  reserveChange,
} from '../queries/card-subscriptions.ts';
import { findShownSubscription } from '../queries/shown-subscription.ts';
import { lockSubscriptionById } from '../queries/subscriptions.ts';
import { addFact, type Facts } from '../rules.ts';
import { type ChangeDependencies, changeSubscription } from './change-subscription.ts';
import { subscriptionInForce } from './shown-subscription.ts';

export type ManageDependencies = ChangeDependencies & {
  cardSubscriptions: CardSubscriptions | undefined;
};

const actions: Record<SubscriptionRequest['kind'], AuditAction> = {
  change: 'subscription.change',
  cancel: 'subscription.cancel_at_end',
  resume: 'subscription.resume',
};

const noSubscription = 'You have no card subscription';

export const refusals: Record<CardRefusal, string> = {
  DECLINED: 'The card was declined: nothing was changed or charged',
  UNPAID: 'The last payment failed: pay it first, then change the plan',
  MISSING: noSubscription,
  UNREACHABLE: 'The card provider cannot be reached now: try again later',
  SILENT: 'The card provider did not answer in time: look again in a minute',
};

type Requested = { id: string; report: ReportedSubscription } | { refusal: string };

/**
 * Asks the card provider for the change; the returned function stores what it reported, as its event would.
 * If the process ends in between, that event stores it.
 */
export const prepareChange = async (
  db: Database,
  dependencies: ManageDependencies,
  accountId: string,
  request: SubscriptionRequest,
) => {
  const requested = await requestChange(db, dependencies, accountId, request);
  return async (tx: Transaction, actor: Actor): Promise<Subscription> => {
    if ('refusal' in requested) throw conflict(requested.refusal);
    await storeReport(tx, dependencies, { ...requested, accountId, request, actor });
    const { plan, ...shown } = await findShownSubscription(tx, accountId);
    return subscriptionInForce(plan, shown, dependencies.clock.now());
  };
};

const requestChange = async (
  db: Database,
  { cardSubscriptions, billing, clock }: ManageDependencies,
  accountId: string,
  request: SubscriptionRequest,
): Promise<Requested> => {
  const subscription = await findCardSubscription(db, accountId);
  if (!subscription || !cardSubscriptions) return { refusal: noSubscription };
  const { id, providerRef } = subscription;
  const planOf = (object: unknown) => updateOf(object, 0, billing.prices)?.plan ?? null;
  const report = await whileReserved(db, clock, { id, accountId }, () =>
    cardSubscriptions.request(providerRef, request, planOf),
  );
  if (report === undefined) return { refusal: 'Your subscription is being changed: try again' };
  return 'refusal' in report ? { refusal: refusals[report.refusal] } : { id, report };
};

const reservedMs = 10_000;
const waitMs = 1000;
const pollMs = 50;

type Change = () => ReturnType<CardSubscriptions['request']>;

/**
 * One change at a time, over all processes, so that each sees the result of the one before. Undefined if the
 * other one takes too long.
 */
const whileReserved = async (
  db: Database,
  clock: ChangeDependencies['clock'],
  subscription: { id: string; accountId: string },
  change: Change,
): Promise<Awaited<ReturnType<Change>> | undefined> => {
  const startedAt = performance.now();
  for (;;) {
    const now = clock.now();
    const until = new Date(now.getTime() + reservedMs);
    if (await reserveChange(db, subscription, { now, until })) {
      const result = await change();
      // What may still take effect keeps its reservation until that runs out.
      const isSilent = 'refusal' in result && result.refusal === 'SILENT';
      if (!isSilent) await releaseChange(db, subscription, until);
      return result;
    }
    if (performance.now() - startedAt > waitMs) return undefined;
    await Bun.sleep(pollMs);
  }
};

type Report = {
  id: string;
  accountId: string;
  request: SubscriptionRequest;
  report: ReportedSubscription;
  actor: Actor;
};

/** Locks the subscription before the account, as every event does. */
const storeReport = async (
  tx: Transaction,
  dependencies: ManageDependencies,
  { id, accountId, request, report, actor }: Report,
): Promise<void> => {
  const subscription = await lockSubscriptionById(tx, id);
  if (subscription?.accountId !== accountId) throw conflict(noSubscription);
  const facts = addReport(subscription.facts, report, dependencies.billing.prices);
  // The provider's event may have been faster: the request is recorded nevertheless.
  const isStored = canonicalJson(facts) === canonicalJson(subscription.facts);
  if (isStored && !report.isChanged) return recordAudits(tx, []);
  const entries = await changeSubscription(tx, dependencies, subscription, {
    ...{ accountId, facts, actor, action: actions[request.kind] },
    ...(request.kind === 'change' && { chosen: request.plan }),
  });
  // What an earlier request did already is not a change of this one.
  const isNew = ({ action, changes }: (typeof entries)[number]): boolean =>
    action !== actions[request.kind] || report.isChanged || 'plan' in (changes ?? {});
  await recordAudits(tx, entries.filter(isNew));
};

const addReport = (
  facts: Facts,
  { object, at, nextPlan }: ReportedSubscription,
  prices: Record<string, PlanName>,
): Facts => {
  const update = updateOf(object, at, prices);
  const updated = update ? addFact(facts, update) : facts;
  return nextPlan === undefined
    ? updated
    : addFact(updated, { kind: 'schedule', at, plan: nextPlan });
};

/** The fact of the event that the provider sends about the same state. */
const updateOf = (object: unknown, at: number, prices: Record<string, PlanName>) => {
  const event = parseCardEvent({ type: 'customer.subscription.updated', at, object }, prices);
  const fact = event.about === 'subscription' ? event.fact : undefined;
  return fact?.kind === 'update' ? fact : undefined;
};

import { type PlanName, planNames } from '@holdfast/contract';
import type Stripe from 'stripe';
import type { Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import {
  type CardCallDependencies,
  type CardRefusal,
  createAskProvider,
  type RequireTime,
} from './ask-provider.ts';
import { nextPlanOf } from './parse-event.ts';
import { createPriceFinder, type PlanPrice, type PriceFinder } from './plan-price.ts';

/** What the provider now says about the subscription, as an update event would. */
export type ReportedSubscription = {
  object: Stripe.Subscription;
  /** The provider's time, in Unix seconds. */
  at: number;
  /** The plan that begins with the next period; null if it stays, undefined if that was not asked. */
  nextPlan: PlanName | null | undefined;
  isChanged: boolean;
};

export type SubscriptionRequest =
  | ({ kind: 'change' } & PlanPrice)
  | { kind: 'cancel' }
  | { kind: 'resume' };

type Refusal = { refusal: CardRefusal };

export type CardSubscriptions = {
  /** Absolute: it describes the result, so a repetition changes nothing. */
  request(
    providerRef: string,
    request: SubscriptionRequest,
    planOf: (subscription: Stripe.Subscription) => PlanName | null,
  ): Promise<ReportedSubscription | Refusal>;
};

type ClientDependencies = CardCallDependencies & { clock: Clock };

export const createCardSubscriptions = (dependencies: ClientDependencies): CardSubscriptions => {
  const ask = createAskProvider(dependencies);
  const prices = createPriceFinder();
  return {
    async request(providerRef, request, planOf) {
      const requestId = newId();
      const report = await ask<ReportedSubscription | Refusal>(async (stripe, requireTime) => {
        const subscription = await stripe.subscriptions.retrieve(providerRef);
        const at = timeOf(subscription, dependencies.clock);
        const call = { stripe, requireTime, subscription, requestId, at };
        const { status } = subscription;
        if (status === 'canceled' || status === 'incomplete_expired') return { refusal: 'MISSING' };
        if (request.kind !== 'change') return setCancelled(call, request.kind === 'cancel');
        if (status !== 'active' && status !== 'trialing') return { refusal: 'UNPAID' };
        return changePlan(call, prices, request, planOf(subscription));
      });
      if ('refusal' in report) prices.forget();
      return report;
    },
  };
};

type Call = {
  stripe: Stripe;
  requireTime: RequireTime;
  subscription: Stripe.Subscription;
  requestId: string;
  at: number;
};

const changePlan = async (
  call: Call,
  prices: PriceFinder,
  { plan, amountCents }: PlanPrice,
  current: PlanName | null,
): Promise<ReportedSubscription> => {
  if (plan !== current && (await findScheduledPlan(call)) === plan) {
    return { object: call.subscription, at: call.at, nextPlan: plan, isChanged: false };
  }
  const released = await releaseSchedule(call);
  if (plan === current) {
    const resumed = await setCancelled({ ...call, subscription: released.object }, false);
    const isChanged = resumed.isChanged || released.isChanged;
    return { ...resumed, nextPlan: null, isChanged };
  }
  const price = await prices.find(call.stripe, { plan, amountCents });
  const next = { ...call, subscription: released.object };
  const isHigher = current === null || planNames.indexOf(plan) > planNames.indexOf(current);
  return isHigher ? upgrade(next, plan, price) : scheduleDowngrade(next, plan, price);
};

/** The difference for the rest of the period is charged at once; if that fails, nothing changes. */
const upgrade = async (
  { stripe, requireTime, subscription, requestId, at }: Call,
  plan: PlanName,
  price: string,
): Promise<ReportedSubscription> => {
  requireTime();
  const object = await stripe.subscriptions.update(
    subscription.id,
    {
      items: [{ id: subscription.items.data[0]?.id ?? '', price }],
      ...{ proration_behavior: 'always_invoice', payment_behavior: 'error_if_incomplete' },
      ...(subscription.cancel_at_period_end && { cancel_at_period_end: false }),
      metadata: { plan },
    },
    { idempotencyKey: `${requestId}:upgrade` },
  );
  return { object, at, nextPlan: null, isChanged: true };
};

/** A schedule of two phases: the current period as it is, then the lower price. */
const scheduleDowngrade = async (
  call: Call,
  plan: PlanName,
  price: string,
): Promise<ReportedSubscription> => {
  const { stripe, requireTime, requestId } = call;
  const { object } = await setCancelled(call, false);
  requireTime();
  const schedule = await stripe.subscriptionSchedules.create(
    { from_subscription: object.id },
    { idempotencyKey: `${requestId}:schedule` },
  );
  const [current] = schedule.phases;
  if (!current) throw new Error('The schedule of a subscription has no phase');
  requireTime();
  await stripe.subscriptionSchedules.update(
    schedule.id,
    {
      end_behavior: 'release',
      phases: [
        {
          items: current.items.map((item) => ({
            price: idOf(item.price),
            quantity: item.quantity ?? 1,
          })),
          ...{ start_date: current.start_date, end_date: current.end_date },
        },
        {
          items: [{ price, quantity: 1 }],
          ...{ duration: { interval: 'month', interval_count: 1 }, proration_behavior: 'none' },
          metadata: { plan },
        },
      ],
    },
    { idempotencyKey: `${requestId}:phases` },
  );
  return {
    object: { ...object, schedule: schedule.id },
    ...{ at: call.at, nextPlan: plan, isChanged: true },
  };
};

const findScheduledPlan = async ({ stripe, subscription }: Call): Promise<PlanName | null> => {
  if (!subscription.schedule) return null;
  const schedule = await stripe.subscriptionSchedules.retrieve(idOf(subscription.schedule));
  return nextPlanOf(schedule);
};

/** A subscription that a schedule manages can be neither changed nor cancelled directly. */
const releaseSchedule = async ({
  stripe,
  requireTime,
  subscription,
  requestId,
  at,
}: Call): Promise<ReportedSubscription> => {
  const { schedule } = subscription;
  if (!schedule) return { object: subscription, at, nextPlan: null, isChanged: false };
  const idempotencyKey = `${requestId}:release`;
  requireTime();
  await stripe.subscriptionSchedules.release(idOf(schedule), {}, { idempotencyKey });
  return { object: { ...subscription, schedule: null }, at, nextPlan: null, isChanged: true };
};

const setCancelled = async (call: Call, isCancelled: boolean): Promise<ReportedSubscription> => {
  const { subscription, at } = call;
  if (subscription.cancel_at_period_end === isCancelled) {
    return { object: subscription, at, nextPlan: undefined, isChanged: false };
  }
  const { object } = await releaseSchedule(call);
  call.requireTime();
  const updated = await call.stripe.subscriptions.update(
    object.id,
    { cancel_at_period_end: isCancelled },
    { idempotencyKey: `${call.requestId}:${isCancelled ? 'cancel' : 'resume'}` },
  );
  return { object: updated, at, nextPlan: null, isChanged: true };
};

const idOf = (link: string | { id: string }): string => (typeof link === 'string' ? link : link.id);

/** By the provider's clock, as in its events: ours may differ. */
const timeOf = (
  { lastResponse }: { lastResponse: { headers: Record<string, string> } },
  clock: Clock,
): number => {
  const told = Date.parse(lastResponse.headers.date ?? '');
  return Math.floor((Number.isNaN(told) ? clock.now().getTime() : told) / 1000);
};

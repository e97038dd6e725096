import type { PlanName, SubscriptionStatus } from '@holdfast/contract';
import fc from 'fast-check';

/** An event of one subscription, in the provider's words; no two happen in the same second. */
export type LifecycleEvent = { at: number } & (
  | { kind: 'checkout'; plan: PlanName; isDelayed: boolean }
  | { kind: 'arrival' | 'bounce'; plan: PlanName; begunAt: number }
  | { kind: 'update'; plan: PlanName; status: ProviderStatus; periodEnd: number }
  | { kind: 'payment'; periodEnd: number }
  | { kind: 'failure' }
  | { kind: 'deletion' }
  | { kind: 'refund'; charge: number; totalCents: number }
);

const statuses = {
  active: 'ACTIVE',
  trialing: 'TRIALING',
  past_due: 'PAST_DUE',
  unpaid: 'PAST_DUE',
  canceled: 'CANCELLED',
  incomplete: 'INCOMPLETE',
  paused: 'EXPIRED',
} as const satisfies Record<string, SubscriptionStatus>;
type ProviderStatus = keyof typeof statuses;

const day = 86_400;

type Outcome = {
  status: SubscriptionStatus;
  plan: PlanName;
  periodEnd: number;
  refundedCents: number;
};

/** The reference model: applies the events in order. */
export const applyInOrder = (life: LifecycleEvent[], now: number, graceDays: number): Outcome => {
  let told: SubscriptionStatus = 'INCOMPLETE';
  let plan: PlanName = 'FREE';
  let pastDueSince: number | undefined;
  let isDeleted = false;
  let isAwaited = false;
  let [toldEnd, paidEnd, begunAt] = [0, 0, 0];
  const refunds = new Map<number, number>();

  for (const event of life.toSorted((one, other) => one.at - other.at)) {
    if (event.kind === 'checkout') {
      [plan, begunAt, isAwaited] = [event.plan, event.at, event.isDelayed];
      if (!event.isDelayed) told = 'ACTIVE';
    } else if (event.kind === 'arrival') {
      [told, pastDueSince, isAwaited] = ['ACTIVE', undefined, false];
    } else if (event.kind === 'update') {
      plan = event.plan;
      told = statuses[event.status];
      toldEnd = event.periodEnd;
      if (told === 'ACTIVE' || told === 'TRIALING') pastDueSince = undefined;
      if (told === 'PAST_DUE') pastDueSince ??= event.at;
    } else if (event.kind === 'payment') {
      [pastDueSince, isAwaited] = [undefined, false];
      if (told === 'PAST_DUE' || told === 'INCOMPLETE') told = 'ACTIVE';
      paidEnd = Math.max(paidEnd, event.periodEnd);
    } else if (event.kind === 'failure') pastDueSince ??= event.at;
    else if (event.kind === 'refund') refunds.set(event.charge, event.totalCents);
    else if (event.kind === 'deletion') isDeleted = true;
  }

  if (isAwaited && ['ACTIVE', 'TRIALING', 'PAST_DUE'].includes(told)) told = 'INCOMPLETE';
  const isLiving = told === 'ACTIVE' || told === 'TRIALING' || told === 'PAST_DUE';
  const isPastDue = isLiving && pastDueSince !== undefined;
  const isOver =
    isDeleted || !isLiving || (isPastDue && now >= (pastDueSince ?? 0) + graceDays * day);
  return {
    status: isDeleted ? 'CANCELLED' : isPastDue ? 'PAST_DUE' : told,
    plan: isOver ? 'FREE' : plan,
    periodEnd: Math.max(toldEnd, paidEnd) || begunAt + 30 * day,
    refundedCents: [...refunds.values()].reduce((sum, cents) => sum + cents, 0),
  };
};

const paidPlan = fc.constantFrom<PlanName>('PREMIUM', 'BUSINESS', 'ENTERPRISE');
const periodEnd = fc.integer({ min: 1_800_000_000, max: 1_900_000_000 });

/** Mostly failures and recoveries. */
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('failure' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('payment' as const), periodEnd }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('update' as const), plan: paidPlan, periodEnd },
      status: fc.constantFrom(...(Object.keys(statuses) as ProviderStatus[])),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('refund' as const), charge: fc.integer({ min: 1, max: 3 }) },
      totalCents: fc.integer({ min: 1, max: 500 }),
    }),
  },
);

/** Twelve events or more, the last of them up to some days before `now`. */
export const arbitraryLifecycle = (now: number): fc.Arbitrary<LifecycleEvent[]> =>
  fc
    .record({
      plan: paidPlan,
      middle: fc.array(fc.tuple(happening, fc.integer({ min: 1, max: 3 * day })), {
        ...{ minLength: 11, maxLength: 16 },
      }),
      isDeleted: fc.boolean(),
      /** How a delayed payment ends, and after how many of the others. */
      delayed: fc.option(
        fc.record({ end: fc.constantFrom('arrival', 'bounce'), after: fc.nat(10) }),
      ),
      restSeconds: fc.integer({ min: 1, max: 12 * day }),
    })
    .map(({ plan, middle, isDeleted, restSeconds, delayed }) => {
      const totals = new Map<number, number>();
      const story = middle.map(([event, waitSeconds]) => {
        if (event.kind !== 'refund') return { event, waitSeconds };
        // The provider reports the total that was refunded of a charge.
        const totalCents = (totals.get(event.charge) ?? 0) + event.totalCents;
        totals.set(event.charge, totalCents);
        return { event: { ...event, totalCents }, waitSeconds };
      });
      let at = now - restSeconds - story.reduce((sum, { waitSeconds }) => sum + waitSeconds, 2);
      const begunAt = at;
      const life: LifecycleEvent[] = [{ kind: 'checkout', plan, at, isDelayed: delayed !== null }];
      for (const [index, { event, waitSeconds }] of story.entries()) {
        at += waitSeconds;
        life.push({ ...event, at });
        if (delayed?.after === index) life.push({ kind: delayed.end, plan, begunAt, at: ++at });
      }
      if (isDeleted) life.push({ kind: 'deletion', at: at + 1 });
      return life;
    });

/** In any order, with copies anywhere. */
export const arbitraryDeliveryOrder = (life: LifecycleEvent[]): fc.Arbitrary<number[]> => {
  const indexes = life.map((_, index) => index);
  return fc
    .array(fc.constantFrom(...indexes), { maxLength: 12 })
    .chain((copies) =>
      fc.shuffledSubarray(
        [...indexes, ...copies].map((index, place) => ({ index, place })),
        {
          ...{ minLength: indexes.length + copies.length },
        },
      ),
    )
    .map((chosen) => chosen.map(({ index }) => index));
};

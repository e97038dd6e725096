import { type PlanName, planNames, type SubscriptionStatus } from '@holdfast/contract';

/**
 * The state of a subscription. Providers repeat their events and send them in any order, even years late. So
 * no event moves a subscription from one state to the next. Each event adds to the facts of the subscription
 * (newer ones replace older ones by the provider's own time), and the state is derived anew from all facts
 * and the current time. The same events give the same state in whatever order they arrive.
 *
 *   INCOMPLETE   begun, not paid for, whatever the provider says of it. Gives nothing.
 *   TRIALING     in the provider's trial period. Gives its plan.
 *   ACTIVE       paid for. Gives its plan.
 *   PAST_DUE     a payment failed, or the provider says so, and none succeeded since. Gives its plan
 *                until the grace time is over, counted from the first of these failures; then nothing.
 *   CANCELLED    deleted, or ended by the provider. Gives nothing. A deletion is final: no later event
 *                brings the subscription back.
 *   EXPIRED      paused, given up before its first payment, or prepaid and over. Gives nothing.
 *
 *   a checkout           sets the plan and, when paid, the status ACTIVE; while its delayed payment has not
 *                        arrived, the subscription is INCOMPLETE. It is paid once it was paid in any event
 *   an update            sets the plan and the status; ACTIVE and TRIALING clear earlier failures
 *   a schedule           names the plan of the next period, which an update then sets
 *   a payment            clears earlier failures; it moves the period's end only forward
 *   a failed payment     counts unless something newer cleared it
 *   a deletion           ends the subscription
 *   an open dispute      makes it PAST_DUE from the time of its event; when won it has no effect any more,
 *                        when lost it ends the subscription, or takes back the prepaid month it had paid
 *   a prepaid month      adds 30 days to the end, or to now if the end has passed; then it is EXPIRED
 *
 * Of two events of the same second a deletion wins, otherwise the one that arrived later.
 *
 * An account's plan is the highest that any of its subscriptions gives. It is written when an event or the
 * passing of time changes that; until then a plan that the operator set holds.
 *
 * All times in facts are Unix seconds, as in the provider's events.
 */
export type Facts = {
  /** The other fields of the newest update. */
  told?: { at: number } & Terms;
  status?: { at: number; name: SubscriptionStatus };
  plan?: { at: number; name: PlanName };
  /** The plan that the next period begins with; null if it is the same. */
  next?: { at: number; name: PlanName | null };
  checkout?: { at: number; isPaid: boolean | null };
  deleted?: { at: number; cancelledAt: number | null };
  /** Set by every payment: 0 where none has named the end. */
  invoicePeriodEnd?: number;
  /** The time of the newest payment, or of the newest update that counts as one. */
  goodAt?: number;
  /** Failures since the last payment, oldest first. */
  failures?: Failure[];
  prepaidUntil?: number;
  /** Its checkout named a deleted account: it is cancelled and its payments are refunded. */
  isAbandoned?: true;
  /** Disputes about its payments, open and closed. */
  disputes?: Record<string, { at: number; state: DisputeState; paymentRef?: string }>;
};

export type DisputeState = 'OPEN' | 'WON' | 'LOST';
type Dispute = { disputeId: string; paymentRef: string; state: DisputeState };

type Terms = { periodEnd: number | null; trialEndsAt: number | null; cancelledAt: number | null };
type Failure = { at: number; invoiceId: string | null };

/** What one event adds to the facts. */
export type Fact = { at: number } & (
  | { kind: 'checkout'; plan: PlanName | null; begunAt: number; isPaid: boolean | null }
  | ({
      kind: 'update';
      plan: PlanName | null;
      status: SubscriptionStatus;
      /** Whether a schedule manages it; null if the event does not say. */
      isScheduled: boolean | null;
    } & Terms)
  | { kind: 'schedule'; plan: PlanName | null }
  | { kind: 'deletion'; cancelledAt: number | null }
  | { kind: 'payment'; periodEnd: number | null }
  | { kind: 'failure'; invoiceId: string | null }
  | ({ kind: 'dispute' } & Dispute)
);

export type Standing = {
  status: SubscriptionStatus;
  /** The plan that it gives: FREE where it gives nothing. */
  plan: PlanName;
  currentPeriodEnd: Date;
  isTrial: boolean;
  trialEndsAt: Date | null;
  cancelledAt: Date | null;
  /** When the passing of time alone will change it. */
  changesAt: Date | null;
};

const daySeconds = 24 * 60 * 60;
const monthSeconds = 30 * daySeconds;

export const addFact = (facts: Facts, fact: Fact): Facts => {
  switch (fact.kind) {
    case 'checkout': {
      const { at, begunAt, isPaid, plan } = fact;
      const newest = newer(facts.checkout, { at: begunAt, isPaid });
      const checkout = facts.checkout?.isPaid || isPaid ? { ...newest, isPaid: true } : newest;
      const updated = withPlan({ ...facts, checkout }, { at: begunAt, plan });
      return isPaid ? withStatus(updated, { at, name: 'ACTIVE' }) : updated;
    }
    case 'update': {
      const { at, status, periodEnd, trialEndsAt, cancelledAt } = fact;
      const told = newer(facts.told, { at, periodEnd, trialEndsAt, cancelledAt });
      const scheduled = fact.isScheduled === false ? withNext(facts, { at, plan: null }) : facts;
      return withStatus(withPlan({ ...scheduled, told }, fact), { at, name: status });
    }
    case 'schedule':
      return withNext(facts, fact);
    case 'deletion': {
      const { at, cancelledAt } = fact;
      const isEarlier = facts.deleted !== undefined && facts.deleted.at <= at;
      return isEarlier ? facts : { ...facts, deleted: { at, cancelledAt } };
    }
    case 'payment':
      return withPayment(withPeriodEnd(facts, fact.periodEnd), fact.at);
    case 'failure':
      return withFailure(facts, { at: fact.at, invoiceId: fact.invoiceId });
    case 'dispute':
      return withDispute(facts, fact);
  }
};

/** The `providerRef` of a prepaid subscription. */
export const prepaidRef = ({ accountId, plan }: { accountId: string; plan: PlanName }): string =>
  `prepaid:${accountId}:${plan}`;

/** Adds one prepaid month. */
export const addMonth = (facts: Facts, plan: PlanName, now: Date): Facts => {
  const at = Math.ceil(now.getTime() / 1000);
  const from = Math.max(facts.prepaidUntil ?? 0, at);
  return { ...facts, plan: { at, name: plan }, prepaidUntil: from + monthSeconds };
};

const newer = <Dated extends { at: number }>(stored: Dated | undefined, added: Dated): Dated =>
  stored && stored.at > added.at ? stored : added;

const withPlan = (facts: Facts, { at, plan }: { at: number; plan: PlanName | null }): Facts =>
  plan === null ? facts : { ...facts, plan: newer(facts.plan, { at, name: plan }) };

const withNext = (facts: Facts, { at, plan }: { at: number; plan: PlanName | null }): Facts => ({
  ...facts,
  next: newer(facts.next, { at, name: plan }),
});

/** The plan that the next period begins with, if it is another one. */
export const nextPlanOf = ({ next, plan }: Facts): PlanName | null =>
  next === undefined || next.name === plan?.name ? null : next.name;

const withStatus = (facts: Facts, status: { at: number; name: SubscriptionStatus }): Facts => {
  const { at, name } = status;
  const updated = { ...facts, status: newer(facts.status, status) };
  if (name === 'ACTIVE' || name === 'TRIALING') return withPayment(updated, at);
  return name === 'PAST_DUE' ? withFailure(updated, { at, invoiceId: null }) : updated;
};

const withPeriodEnd = (facts: Facts, periodEnd: number | null): Facts => ({
  ...facts,
  invoicePeriodEnd: Math.max(facts.invoicePeriodEnd ?? 0, periodEnd ?? 0),
});

const withPayment = (facts: Facts, at: number): Facts => ({
  ...facts,
  goodAt: Math.max(facts.goodAt ?? 0, at),
  failures: (facts.failures ?? []).filter((failure) => failure.at > at),
});

/**
 * A closed dispute stays closed. A lost payment of a prepaid subscription takes its month back once, however
 * many disputes there were about it.
 */
const withDispute = (
  facts: Facts,
  { at, disputeId, paymentRef, state }: { at: number } & Dispute,
) => {
  const stored = facts.disputes?.[disputeId];
  if (stored && stored.state !== 'OPEN') return facts;
  const wasLost = Object.values(facts.disputes ?? {}).some(
    (other) => other.state === 'LOST' && other.paymentRef === paymentRef,
  );
  const disputes = { ...facts.disputes, [disputeId]: { at, state, paymentRef } };
  const { prepaidUntil } = facts;
  return prepaidUntil === undefined || state !== 'LOST' || wasLost
    ? { ...facts, disputes }
    : { ...facts, disputes, prepaidUntil: prepaidUntil - monthSeconds };
};

const disputeTimes = (facts: Facts, state: DisputeState): number[] =>
  Object.values(facts.disputes ?? {})
    .filter((dispute) => dispute.state === state)
    .map(({ at }) => at);

const maxFailures = 100;

const withFailure = (facts: Facts, failure: Failure): Facts => {
  if (failure.at < (facts.goodAt ?? 0)) return facts;
  const others = (facts.failures ?? []).filter(
    ({ at, invoiceId }) => at !== failure.at || invoiceId !== failure.invoiceId,
  );
  const [first = failure, ...later] = [...others, failure].sort(byTime);
  // The first decides when the grace time ends; of the others the newest are cleared last.
  return { ...facts, failures: [first, ...later.slice(-(maxFailures - 1))] };
};

const byTime = (one: Failure, other: Failure): number =>
  one.at - other.at || (one.invoiceId ?? '').localeCompare(other.invoiceId ?? '');

export const standingOf = (facts: Facts, now: Date, graceDays: number): Standing => {
  const status = statusOf(facts, now);
  const graceUntil = status === 'PAST_DUE' ? graceEnd(facts, graceDays) : null;
  const isInGrace = graceUntil !== null && now < graceUntil;
  const isLive = status === 'ACTIVE' || status === 'TRIALING' || isInGrace;
  const ends = earliest(graceUntil, optionalDate(facts.prepaidUntil));
  return {
    status,
    plan: isLive ? (facts.plan?.name ?? 'FREE') : 'FREE',
    currentPeriodEnd: dateOf(periodEndOf(facts)),
    isTrial: status === 'TRIALING',
    trialEndsAt: optionalDate(facts.told?.trialEndsAt),
    cancelledAt: optionalDate(cancelledAtOf(facts, status)),
    changesAt: isLive ? ends : null,
  };
};

/** Until when a subscription that is PAST_DUE still gives its plan. */
export const graceEnd = (facts: Facts, graceDays: number): Date => {
  const openDisputes = disputeTimes(facts, 'OPEN');
  const times = [facts.failures?.[0]?.at, ...openDisputes].filter((at) => at !== undefined);
  return dateOf((times.length > 0 ? Math.min(...times) : 0) + graceDays * daySeconds);
};

const earliest = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other);

const statusOf = (facts: Facts, now: Date): SubscriptionStatus => {
  if (facts.deleted) return 'CANCELLED';
  const isDisputed = disputeTimes(facts, 'OPEN').length > 0;
  if (facts.prepaidUntil !== undefined) {
    if (dateOf(facts.prepaidUntil) <= now) return 'EXPIRED';
    return isDisputed ? 'PAST_DUE' : 'ACTIVE';
  }
  if (disputeTimes(facts, 'LOST').length > 0) return 'CANCELLED';
  const status = reportedStatus(facts);
  if (status === 'CANCELLED' || status === 'EXPIRED' || status === 'INCOMPLETE') return status;
  // Providers call a subscription active while its delayed payment is on its way.
  if (facts.checkout?.isPaid === false && facts.invoicePeriodEnd === undefined) return 'INCOMPLETE';
  if (facts.failures?.length || isDisputed) return 'PAST_DUE';
  // Reported as past due, and paid for since.
  return status === 'PAST_DUE' ? 'ACTIVE' : status;
};

const reportedStatus = ({ status, checkout, goodAt }: Facts): SubscriptionStatus => {
  const isPaidFor = goodAt !== undefined && goodAt >= (status?.at ?? 0);
  if (status) return status.name === 'INCOMPLETE' && isPaidFor ? 'ACTIVE' : status.name;
  const hasBegun = isPaidFor || (checkout !== undefined && checkout.isPaid !== false);
  return hasBegun ? 'ACTIVE' : 'INCOMPLETE';
};

/** Without a reported end, one month from the checkout. */
const periodEndOf = (facts: Facts): number => {
  if (facts.prepaidUntil !== undefined) return facts.prepaidUntil;
  const reported = Math.max(facts.told?.periodEnd ?? 0, facts.invoicePeriodEnd ?? 0);
  if (reported > 0) return reported;
  if (facts.checkout) return facts.checkout.at + monthSeconds;
  return facts.told?.at ?? facts.goodAt ?? facts.failures?.[0]?.at ?? facts.deleted?.at ?? 0;
};

const cancelledAtOf = (facts: Facts, shown: SubscriptionStatus): number | undefined | null => {
  const { deleted, told, status } = facts;
  if (deleted) return deleted.cancelledAt ?? told?.cancelledAt ?? deleted.at;
  return (
    told?.cancelledAt ??
    (shown === 'CANCELLED' ? (disputeTimes(facts, 'LOST')[0] ?? status?.at) : null)
  );
};

const dateOf = (seconds: number): Date => new Date(seconds * 1000);

const optionalDate = (seconds: number | null | undefined): Date | null =>
  seconds === null || seconds === undefined ? null : dateOf(seconds);

export const highestPlan = (plans: readonly PlanName[]): PlanName =>
  planNames.findLast((name) => plans.includes(name)) ?? 'FREE';

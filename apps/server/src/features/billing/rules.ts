import { type PlanName, planNames, type SubscriptionStatus } from '@holdfast/contract';

/**
 * How a subscription stands. Providers repeat their events, send them in any order and years late. So
 * none of them moves a subscription from one state to the next. Each adds to what is known of it (its
 * facts), newer news replacing older by the provider's own time, and its state is worked out anew from
 * all facts and the time of day. Whatever the order, the same events give the same state.
 *
 *   INCOMPLETE   begun, not paid for. Gives nothing.
 *   TRIALING     the provider says so. Gives its plan.
 *   ACTIVE       paid for. Gives its plan.
 *   PAST_DUE     a payment failed, or the provider says so, and none succeeded since. Gives its plan
 *                until the grace time is over, counted from the first of these failures; then nothing.
 *   CANCELLED    deleted, or ended by the provider. Gives nothing. Deleted is final: no event, however
 *                new, brings such a subscription back.
 *   EXPIRED      paused, given up before its first payment, or prepaid and over. Gives nothing.
 *
 *   a checkout           tells the plan and, when paid, that it is ACTIVE
 *   an update            tells the plan and the state; ACTIVE and TRIALING forget earlier failures
 *   a payment            forgets earlier failures; a period's end only ever moves forward by it
 *   a failed payment     counts unless something newer forgot it
 *   a deletion           ends it
 *   an open dispute      makes it PAST_DUE, from when it was told; one that was won is forgotten, one that
 *                        was lost ends it, or takes the prepaid month away that its payment gave
 *   a prepaid month      adds 30 days to its end, or to now where it is over; at its end it is EXPIRED
 *
 * Of two events of one second a deletion wins, else the one that arrived later.
 *
 * A user's plan is the highest that any of their subscriptions gives. It is written when an event, or
 * the passing of time, changes that; until then a plan that the operator set holds.
 *
 * All times in facts are Unix seconds, as the provider tells them.
 */
export type Facts = {
  /** What the newest update said beside plan and state. */
  told?: { at: number } & Terms;
  status?: { at: number; name: SubscriptionStatus };
  plan?: { at: number; name: PlanName };
  checkout?: { at: number; isPaid: boolean | null };
  deleted?: { at: number; cancelledAt: number | null };
  invoicePeriodEnd?: number;
  /** When it was last known to be paid for. */
  goodAt?: number;
  /** Those that nothing forgot, oldest first. */
  failures?: Failure[];
  prepaidUntil?: number;
  /** Its checkout named an account that was deleted: it is cancelled, and what it was paid given back. */
  isAbandoned?: true;
  /** Payments of it that their payer disputes or disputed. */
  disputes?: Record<string, { at: number; state: DisputeState; paymentRef?: string }>;
};

type DisputeState = 'OPEN' | 'WON' | 'LOST';
type Dispute = { disputeId: string; paymentRef: string; state: DisputeState };

type Terms = { periodEnd: number | null; trialEndsAt: number | null; cancelledAt: number | null };
type Failure = { at: number; invoiceId: string | null };

/** What one event adds. */
export type Fact = { at: number } & (
  | { kind: 'checkout'; plan: PlanName | null; isPaid: boolean | null }
  | ({ kind: 'update'; plan: PlanName | null; status: SubscriptionStatus } & Terms)
  | { kind: 'deletion'; cancelledAt: number | null }
  | { kind: 'payment'; periodEnd: number | null }
  | { kind: 'failure'; invoiceId: string | null }
  | ({ kind: 'dispute' } & Dispute)
);

export type Standing = {
  status: SubscriptionStatus;
  /** What it gives: FREE where it gives nothing. */
  plan: PlanName;
  currentPeriodEnd: Date;
  isTrial: boolean;
  trialEndsAt: Date | null;
  cancelledAt: Date | null;
  /** When time alone will change it. */
  changesAt: Date | null;
};

const daySeconds = 24 * 60 * 60;
const monthSeconds = 30 * daySeconds;

export const addFact = (facts: Facts, fact: Fact): Facts => {
  switch (fact.kind) {
    case 'checkout': {
      const { at, isPaid } = fact;
      const checkout = newer(facts.checkout, { at, isPaid });
      const known = withPlan({ ...facts, checkout }, fact);
      return isPaid ? withStatus(known, { at, name: 'ACTIVE' }) : known;
    }
    case 'update': {
      const { at, status, periodEnd, trialEndsAt, cancelledAt } = fact;
      const told = newer(facts.told, { at, periodEnd, trialEndsAt, cancelledAt });
      return withStatus(withPlan({ ...facts, told }, fact), { at, name: status });
    }
    case 'deletion': {
      const { at, cancelledAt } = fact;
      const isKnown = facts.deleted !== undefined && facts.deleted.at <= at;
      return isKnown ? facts : { ...facts, deleted: { at, cancelledAt } };
    }
    case 'payment':
      return paidFor(withPeriodEnd(facts, fact.periodEnd), fact.at);
    case 'failure':
      return failed(facts, { at: fact.at, invoiceId: fact.invoiceId });
    case 'dispute':
      return disputed(facts, fact);
  }
};

/** Under which name the months are kept that somebody pays ahead for a plan. */
export const prepaidRef = ({ accountId, plan }: { accountId: string; plan: PlanName }): string =>
  `prepaid:${accountId}:${plan}`;

/** One more prepaid month. */
export const addMonth = (facts: Facts, plan: PlanName, now: Date): Facts => {
  const at = Math.ceil(now.getTime() / 1000);
  const from = Math.max(facts.prepaidUntil ?? 0, at);
  return { ...facts, plan: { at, name: plan }, prepaidUntil: from + monthSeconds };
};

const newer = <Dated extends { at: number }>(known: Dated | undefined, news: Dated): Dated =>
  known && known.at > news.at ? known : news;

const withPlan = (facts: Facts, { at, plan }: { at: number; plan: PlanName | null }): Facts =>
  plan === null ? facts : { ...facts, plan: newer(facts.plan, { at, name: plan }) };

const withStatus = (facts: Facts, news: { at: number; name: SubscriptionStatus }): Facts => {
  const known = { ...facts, status: newer(facts.status, news) };
  if (news.name === 'ACTIVE' || news.name === 'TRIALING') return paidFor(known, news.at);
  return news.name === 'PAST_DUE' ? failed(known, { at: news.at, invoiceId: null }) : known;
};

const withPeriodEnd = (facts: Facts, periodEnd: number | null): Facts =>
  periodEnd === null
    ? facts
    : { ...facts, invoicePeriodEnd: Math.max(facts.invoicePeriodEnd ?? 0, periodEnd) };

const paidFor = (facts: Facts, at: number): Facts => ({
  ...facts,
  goodAt: Math.max(facts.goodAt ?? 0, at),
  failures: (facts.failures ?? []).filter((failure) => failure.at > at),
});

/**
 * One that is closed stays so. Of what was paid ahead, a payment that was lost takes its month away, once,
 * however many disputes there were about it.
 */
const disputed = (facts: Facts, { at, disputeId, paymentRef, state }: { at: number } & Dispute) => {
  const known = facts.disputes?.[disputeId];
  if (known && known.state !== 'OPEN') return facts;
  const wasLost = Object.values(facts.disputes ?? {}).some(
    (other) => other.state === 'LOST' && other.paymentRef === paymentRef,
  );
  const disputes = { ...facts.disputes, [disputeId]: { at, state, paymentRef } };
  const { prepaidUntil } = facts;
  return prepaidUntil === undefined || state !== 'LOST' || wasLost
    ? { ...facts, disputes }
    : { ...facts, disputes, prepaidUntil: prepaidUntil - monthSeconds };
};

const disputesThatAre = (facts: Facts, state: DisputeState): number[] =>
  Object.values(facts.disputes ?? {})
    .filter((dispute) => dispute.state === state)
    .map(({ at }) => at);

const mostFailures = 100;

const failed = (facts: Facts, failure: Failure): Facts => {
  if (failure.at < (facts.goodAt ?? 0)) return facts;
  const known = (facts.failures ?? []).filter(
    ({ at, invoiceId }) => at !== failure.at || invoiceId !== failure.invoiceId,
  );
  const [first = failure, ...others] = [...known, failure].sort(byTime);
  // The first decides when the grace time is over; of the others the newest are the least forgotten.
  return { ...facts, failures: [first, ...others.slice(-(mostFailures - 1))] };
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

/** Until when one that is past due still gives its plan. */
export const graceEnd = (facts: Facts, graceDays: number): Date => {
  const began = [facts.failures?.[0]?.at, ...disputesThatAre(facts, 'OPEN')];
  const known = began.filter((at) => at !== undefined);
  return dateOf((known.length > 0 ? Math.min(...known) : 0) + graceDays * daySeconds);
};

const earliest = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other);

const statusOf = (facts: Facts, now: Date): SubscriptionStatus => {
  if (facts.deleted) return 'CANCELLED';
  const isDisputed = disputesThatAre(facts, 'OPEN').length > 0;
  if (facts.prepaidUntil !== undefined) {
    if (dateOf(facts.prepaidUntil) <= now) return 'EXPIRED';
    return isDisputed ? 'PAST_DUE' : 'ACTIVE';
  }
  if (disputesThatAre(facts, 'LOST').length > 0) return 'CANCELLED';
  const status = toldStatus(facts);
  if (status === 'CANCELLED' || status === 'EXPIRED' || status === 'INCOMPLETE') return status;
  if (facts.failures?.length || isDisputed) return 'PAST_DUE';
  // Told to be past due, and paid for since.
  return status === 'PAST_DUE' ? 'ACTIVE' : status;
};

const toldStatus = ({ status, checkout, goodAt }: Facts): SubscriptionStatus => {
  const isPaidFor = goodAt !== undefined && goodAt >= (status?.at ?? 0);
  if (status) return status.name === 'INCOMPLETE' && isPaidFor ? 'ACTIVE' : status.name;
  const hasBegun = isPaidFor || (checkout !== undefined && checkout.isPaid !== false);
  return hasBegun ? 'ACTIVE' : 'INCOMPLETE';
};

/** Nobody need have told one yet: then a month from the checkout stands for it. */
const periodEndOf = (facts: Facts): number => {
  if (facts.prepaidUntil !== undefined) return facts.prepaidUntil;
  const known = Math.max(facts.told?.periodEnd ?? 0, facts.invoicePeriodEnd ?? 0);
  if (known > 0) return known;
  if (facts.checkout) return facts.checkout.at + monthSeconds;
  return facts.told?.at ?? facts.goodAt ?? facts.failures?.[0]?.at ?? facts.deleted?.at ?? 0;
};

const cancelledAtOf = (facts: Facts, shown: SubscriptionStatus): number | undefined | null => {
  const { deleted, told, status } = facts;
  if (deleted) return deleted.cancelledAt ?? told?.cancelledAt ?? deleted.at;
  return (
    told?.cancelledAt ??
    (shown === 'CANCELLED' ? (disputesThatAre(facts, 'LOST')[0] ?? status?.at) : null)
  );
};

const dateOf = (seconds: number): Date => new Date(seconds * 1000);

const optionalDate = (seconds: number | null | undefined): Date | null =>
  seconds === null || seconds === undefined ? null : dateOf(seconds);

export const highestPlan = (plans: readonly PlanName[]): PlanName =>
  planNames.findLast((name) => plans.includes(name)) ?? 'FREE';

import type { PlanName } from '@holdfast/contract';
import type { Output } from '@holdfast/sdk';
import { momentWords } from '../../parts/words.ts';
import { planLabels } from './plan-words.ts';

type Subscription = Output<'getAccount'>['subscription'];
type Standing = Pick<Output<'getBillingStanding'>, 'provider' | 'renews' | 'lapsesAt'>;

export type StandingWords = { tone: 'calm' | 'warning'; words: string };

const calm = (words: string): StandingWords => ({ tone: 'calm', words });
const warning = (words: string): StandingWords => ({ tone: 'warning', words });

/** How the plan is paid for and what comes of it, in a sentence or two. */
export const standingWords = (
  plan: PlanName,
  subscription: Subscription,
  { provider, renews, lapsesAt }: Standing,
): StandingWords => {
  const end = momentWords(subscription.currentPeriodEnd);
  if (subscription.status === 'PAST_DUE') return pastDueWords(plan, lapsesAt);
  if (provider === null) return calm(unpaidWords(plan, subscription));
  if (subscription.status === 'TRIALING') {
    const { trialEndsAt, currentPeriodEnd } = subscription;
    return calm(`You are trying it out until ${momentWords(trialEndsAt ?? currentPeriodEnd)}.`);
  }
  if (renews) return calm(`Paid by card. It renews by itself on ${end}.`);
  return warning(`Paid until ${end}. It does not renew by itself: pay again to keep it longer.`);
};

const pastDueWords = (plan: PlanName, lapsesAt: string | null): StandingWords =>
  warning(
    lapsesAt
      ? `The last payment failed. You keep the ${planLabels[plan]} plan until ${momentWords(lapsesAt)}; if nothing is paid by then, you go on with the Free plan. Nothing is deleted.`
      : 'The last payment failed, and the time to make it good is over. Pay again to get the plan back.',
  );

const unpaidWords = (plan: PlanName, { status, plan: paidPlan }: Subscription): string => {
  if (plan !== 'FREE') {
    return 'The operator gave you this plan. There is nothing to pay, and it has no end.';
  }
  const isOver = paidPlan === 'FREE' && (status === 'CANCELLED' || status === 'EXPIRED');
  return isOver
    ? 'Your last plan has ended. What you have stays; more than the Free plan allows cannot be added.'
    : 'It costs nothing and has no end.';
};

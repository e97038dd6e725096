import type { PlanName, Subscription } from '@holdfast/contract';
import type { ShownColumns } from '../queries/shown-subscription.ts';

/**
 * The account's subscription as it is shown: the paid one that gives the plan in force, or else the newest one.
 * A plan that no payment gives, the free one or one that the operator granted, renews with each UTC month.
 */
export const subscriptionInForce = (
  plan: PlanName,
  shown: ShownColumns,
  now: Date,
): Subscription => {
  const { givenPlan, status, currentPeriodEnd, isTrial, trialEndsAt, cancelledAt } = shown;
  // The columns come from an outer join: all are null, or none.
  const isPaid = givenPlan === plan && status !== null && currentPeriodEnd !== null;
  if (!isPaid) return unpaidSubscription(plan, now);
  return { plan, status, currentPeriodEnd, isTrial: isTrial === true, trialEndsAt, cancelledAt };
};

const unpaidSubscription = (plan: PlanName, now: Date): Subscription => ({
  plan,
  status: 'ACTIVE',
  currentPeriodEnd: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
  isTrial: false,
  trialEndsAt: null,
  cancelledAt: null,
});

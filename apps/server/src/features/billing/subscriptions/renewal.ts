import {
  type BillingStanding,
  type PaymentMethod,
  type PlanName,
  planNames,
  type SubscriptionStatus,
} from '@holdfast/contract';
import type { Standing } from '../rules.ts';

type PaidStanding = Omit<Standing, 'currentPeriodEnd' | 'isTrial' | 'trialEndsAt'> & {
  provider: PaymentMethod;
  providerRef: string;
};

type Renewal = Pick<BillingStanding, 'provider' | 'renews' | 'lapsesAt'>;

const live: readonly SubscriptionStatus[] = ['ACTIVE', 'TRIALING', 'PAST_DUE'];
const rankOf = ({ plan }: PaidStanding): number => planNames.indexOf(plan);
const unpaid: Renewal = { provider: null, renews: false, lapsesAt: null };

/**
 * Whether the subscription that gives the plan in force renews, and when it lapses. Prepaid months never renew.
 * A plan that the operator granted is not paid for, whatever subscriptions there are.
 */
export const renewalOf = (inForce: PlanName, standings: readonly PaidStanding[]): Renewal => {
  const [giving] = standings
    .filter(({ status }) => live.includes(status))
    .toSorted((one, other) => rankOf(other) - rankOf(one));
  if (!giving || giving.plan !== inForce) return unpaid;
  const { provider, providerRef, cancelledAt, changesAt: lapsesAt } = giving;
  const isPrepaid = providerRef.startsWith('prepaid:');
  return { provider, renews: !isPrepaid && cancelledAt === null, lapsesAt };
};

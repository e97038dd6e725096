import {
  type BillingStanding,
  type PayWay,
  type PlanName,
  planNames,
  type SubscriptionStatus,
} from '@holdfast/contract';

type Standing = {
  provider: PayWay;
  providerRef: string;
  plan: PlanName;
  status: SubscriptionStatus;
  changesAt: Date | null;
  cancelledAt: Date | null;
};

type Renewal = Pick<BillingStanding, 'provider' | 'renews' | 'lapsesAt'>;

const live: readonly SubscriptionStatus[] = ['ACTIVE', 'TRIALING', 'PAST_DUE'];
const rankOf = ({ plan }: Standing): number => planNames.indexOf(plan);

/** What comes of the subscription that gives the plan; months that were paid for ahead just end. */
export const renewalOf = (standings: readonly Standing[]): Renewal => {
  const [giving] = standings
    .filter(({ status }) => live.includes(status))
    .toSorted((one, other) => rankOf(other) - rankOf(one));
  if (!giving) return { provider: null, renews: false, lapsesAt: null };
  const { provider, providerRef, cancelledAt, changesAt: lapsesAt } = giving;
  const isPrepaid = providerRef.startsWith('prepaid:');
  return { provider, renews: !isPrepaid && cancelledAt === null, lapsesAt };
};

import type { Subscription } from '@holdfast/contract';

/** What stands for a subscription while nobody ever paid: FREE, renewed with each UTC month. */
export const unpaidSubscription = (now: Date): Subscription => ({
  plan: 'FREE',
  status: 'ACTIVE',
  currentPeriodEnd: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
  isTrial: false,
  trialEndsAt: null,
  cancelledAt: null,
});

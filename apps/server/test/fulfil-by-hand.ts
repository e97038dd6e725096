import { defaultPlans, type Plans } from '@holdfast/contract';
import type { FulfilTools, Run } from '../src/features/marketplace/fulfil/delivery.ts';
import { fulfil } from '../src/features/marketplace/fulfil/fulfil-order.ts';
import { systemClock } from '../src/kernel/clock.ts';
import type { TestService } from './harness.ts';

/** Nobody else is at it: what a lease does is shown elsewhere. */
export const ownRun = (): Run => ({
  signal: new AbortController().signal,
  lease: { fence: 1, isHeld: () => true, requireHeld: async () => undefined },
});

export const fulfilToolsOf = (
  { db, blobs, log, queue }: TestService,
  plans: Plans = defaultPlans,
): FulfilTools => ({
  ...{ db, blobs, log, queue, clock: systemClock },
  limitsOf: (plan) => plans[plan],
  onCompleted: async () => undefined,
});

/** Delivers an order here and now, as the job would. */
export const deliverNow = (service: TestService, orderId: string, plans?: Plans): Promise<void> =>
  fulfil(fulfilToolsOf(service, plans), orderId, ownRun());

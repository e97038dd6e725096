import { defaultPlans, type Plans } from '@holdfast/contract';
import { runDelivery } from '../../../src/features/marketplace/delivery/deliver-order.ts';
import type { DeliveryDependencies } from '../../../src/features/marketplace/delivery/delivery.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { LeasedRun } from '../../../src/queue/lease/lease.ts';
import { ownLease } from '../own-lease.ts';
import type { TestService } from '../service.ts';

export const ownRun = (): LeasedRun => ({
  signal: new AbortController().signal,
  lease: ownLease,
});

export const deliveryDependencies = (
  { db, blobs, log, queue }: TestService,
  plans: Plans = defaultPlans,
): DeliveryDependencies => ({
  ...{ db, blobs, log, queue, clock: systemClock },
  limitsOf: (plan) => plans[plan],
  onCompleted: async () => undefined,
});

/** Delivers an order here and now, as the job would. */
export const deliverNow = (service: TestService, orderId: string, plans?: Plans): Promise<void> =>
  runDelivery(deliveryDependencies(service, plans), orderId, ownRun());

import { defaultPlans, type Plans } from '@holdfast/contract';
import { runDelivery } from '../../../src/features/marketplace/delivery/deliver-order.ts';
import type {
  DeliveryDependencies,
  DeliveryRun,
} from '../../../src/features/marketplace/delivery/delivery.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { TestService } from '../service.ts';

/** A lease that is always held; leases are tested elsewhere. */
export const ownRun = (): DeliveryRun => ({
  signal: new AbortController().signal,
  lease: { fence: 1, isHeld: () => true, requireHeld: async () => undefined },
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

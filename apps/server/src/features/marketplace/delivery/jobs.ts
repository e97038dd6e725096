import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { type LeasedJob, ofAccount } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import type { StoredOrder } from '../queries/orders.ts';
import { runDelivery } from './deliver-order.ts';
import type { DeliveryDependencies } from './delivery.ts';

/** Delivers a template that is paid for; `accountId` is the buyer's. */
export const deliverOrder = {
  name: 'marketplace.deliver',
  payload: z.object({ orderId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 4,
};

/** Does nothing for an order that its seller delivers by hand. */
export const enqueueDelivery = async (
  tx: Transaction,
  { queue }: { queue: Pick<Queue, 'enqueue'> },
  { id: orderId, buyerId, deliveryType }: StoredOrder,
): Promise<void> => {
  if (deliveryType === 'MANUAL') return;
  await queue.enqueue(tx, deliverOrder, { orderId, accountId: buyerId });
};

export const deliverOrderJob = (
  dependencies: DeliveryDependencies,
): LeasedJob<z.output<typeof deliverOrder.payload>> => ({
  ...deliverOrder,
  subjectOf: ({ orderId }) => `order:${orderId}`,
  run: ({ orderId }, signal, lease) => runDelivery(dependencies, orderId, { signal, lease }),
});

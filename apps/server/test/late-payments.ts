import type { Database } from '../src/db/connect.ts';
import { createCardActions } from '../src/features/billing/pay/card-actions.ts';
import { listReturning } from '../src/features/marketplace/orders/payments/queries.ts';
import { returnPayment } from '../src/features/marketplace/orders/return-payment.ts';
import { Secret } from '../src/kernel/secret.ts';
import { sharedSimulator } from './simulator.ts';

/** As the job does, at the simulator; that refuses payments which it never saw. */
export const returnLatePayments = async (db: Database): Promise<void> => {
  const access = { apiUrl: (await sharedSimulator()).url, key: new Secret('sk_test_any') };
  const card = createCardActions(access);
  const later = new Date(Date.now() + 86_400_000);
  for (const { id } of await listReturning(db, later, 1000)) await returnPayment({ db, card }, id);
};

import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { forbidden } from '../../../kernel/errors.ts';
import type { BillingSettings } from '../../billing/events/process-event.ts';
import { lockBalance } from '../../billing/ledger/queries.ts';
import { listSalesSince } from '../queries/orders.ts';
import { keptCents } from '../rules.ts';

export type ClearingDependencies = {
  clock: Clock;
  billing: Pick<BillingSettings, 'earningsClearDays'>;
};

type Earnings = { accountId: string; currency: string };

const dayMs = 24 * 60 * 60 * 1000;

/**
 * What a seller kept of the sales of the last days. A stolen card is often noticed within them, so this
 * neither leaves the service nor goes to another account. What is disputed is in escrow, not here.
 */
export const findClearing = async (
  db: Queryable,
  { clock, billing: { earningsClearDays } }: ClearingDependencies,
  { accountId, currency }: Earnings,
): Promise<number> => {
  if (earningsClearDays === 0) return 0;
  const since = new Date(clock.now().getTime() - earningsClearDays * dayMs);
  const sales = await listSalesSince(db, { sellerId: accountId, currency, since });
  return sales.reduce((sum, sale) => sum + sale.count * keptCents(sale), 0);
};

/** The balance stays locked, so that no sale is completed or taken back before the money has moved. */
export const requireEarnings = async (
  tx: Transaction,
  dependencies: ClearingDependencies,
  { amountCents, ...earnings }: Earnings & { amountCents: number },
): Promise<void> => {
  const earnedCents = await lockBalance(tx, { ...earnings, pot: 'EARNED' });
  if (earnedCents < amountCents) throw forbidden('Your balance is too small');
  const clearingCents = await findClearing(tx, dependencies, earnings);
  if (earnedCents - clearingCents >= amountCents) return;
  throw forbidden(`Your balance is too small: ${clearingCents} cents of it have not cleared yet`);
};

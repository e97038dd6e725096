import { type billingEndpoints, type DashboardEndpoints, marketCurrency } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { listEvents } from './events/queries.ts';
import { findPots, listLedger } from './ledger/queries.ts';
import { listStandings } from './subscriptions/queries.ts';
import { renewalOf } from './subscriptions/renewal.ts';

/** What is only read; `createInvoice` stands in `pay`. */
export const billingHandlers: Handlers<
  Pick<typeof billingEndpoints, 'listLedger' | 'listBillingEvents'>
> = {
  listLedger: (db, { account, query }) => listLedger(db, account.accountId, query),
  listBillingEvents: (db, { account, query }) => listEvents(db, account.accountId, query),
};

export const standingHandlers: Handlers<Pick<DashboardEndpoints, 'getBillingStanding'>> = {
  async getBillingStanding(db, { account: { accountId } }) {
    const pots = await findPots(db, { accountId, currency: marketCurrency });
    const renewal = renewalOf(await listStandings(db, accountId));
    return { ...renewal, ...pots, currency: marketCurrency };
  },
};

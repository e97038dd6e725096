import { type billingEndpoints, type DashboardEndpoints, marketCurrency } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { type CreateInvoiceDependencies, prepareInvoice } from './checkout/create-invoice.ts';
import { findPots, listLedger } from './ledger/queries.ts';
import { listEvents } from './queries/events.ts';
import { listStandings } from './queries/subscriptions.ts';
import { renewalOf } from './rules.ts';

export const billingHandlers = (
  dependencies: CreateInvoiceDependencies,
): Handlers<typeof billingEndpoints> => ({
  listLedger: (db, { account, query }) => listLedger(db, account.accountId, query),

  listBillingEvents: (db, { account, query }) => listEvents(db, account.accountId, query),

  createInvoice: {
    async askFirst(db, { account: { accountId }, body: { plan, payWith } }) {
      const create = await prepareInvoice(db, dependencies, { accountId, plan, payWith });
      return (tx, { actor }) => create(tx, actor);
    },
  },
});

export const billingDashboardHandlers: Handlers<Pick<DashboardEndpoints, 'getBillingStanding'>> = {
  async getBillingStanding(db, { account: { accountId } }) {
    const pots = await findPots(db, { accountId, currency: marketCurrency });
    const renewal = renewalOf(await listStandings(db, accountId));
    return { ...renewal, ...pots, currency: marketCurrency };
  },
};

import type { billingEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { listEvents } from './events/queries.ts';
import { listLedger } from './ledger/queries.ts';

/** What is only read; `createInvoice` stands in `pay`. */
export const billingHandlers: Handlers<
  Pick<typeof billingEndpoints, 'listLedger' | 'listBillingEvents'>
> = {
  listLedger: (db, { account, query }) => listLedger(db, account.userId, query),
  listBillingEvents: (db, { account, query }) => listEvents(db, account.userId, query),
};

import type { PlatformApp } from '../platform/platform.ts';
import { mountCardApi } from './card/api-routes.ts';
import { mountCardPages } from './card/pages.tsx';
import { mountPaymentControl } from './control.ts';
import { mountCryptoPages } from './crypto/pages.tsx';
import { mountCryptoApi } from './crypto/routes.ts';
import { createPayments, type Payments } from './payments.ts';

/**
 * Two payment providers beside the platform. `payments.ts` holds their state, `deliveries.ts` sends
 * their webhooks; `card/` is the card provider (sessions, subscriptions with
 * schedules, invoices, refunds, disputes, portal),
 * `crypto/` the cryptocurrency provider (invoices). Both have pages under `/pay`.
 */
export const mountPayments = (app: PlatformApp): Pick<Payments, 'stop'> => {
  const payments = createPayments();
  mountCardApi(app, payments);
  mountCardPages(app, payments);
  mountCryptoApi(app, payments);
  mountCryptoPages(app, payments);
  mountPaymentControl(app, payments);
  return payments;
};

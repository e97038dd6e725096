import type { PlatformApp } from '../platform/platform.ts';
import { mountCardActions } from './card-actions-api.ts';
import { mountCardApi } from './card-api.ts';
import { mountCardPages } from './card-pages.tsx';
import { mountPaymentControl } from './control.ts';
import { mountCryptoApi } from './crypto-api.ts';
import { mountCryptoPages } from './crypto-pages.tsx';
import { mountOutbox } from './outbox.tsx';
import { createPayments, type Payments } from './payments.ts';

/** Two payment providers and an outbox beside the platform. */
export const mountPayments = (app: PlatformApp): Pick<Payments, 'stop'> => {
  const payments = createPayments();
  mountCardApi(app, payments);
  mountCardActions(app, payments);
  mountCardPages(app, payments);
  mountCryptoApi(app, payments);
  mountCryptoPages(app, payments);
  mountPaymentControl(app, payments);
  mountOutbox(app);
  return payments;
};

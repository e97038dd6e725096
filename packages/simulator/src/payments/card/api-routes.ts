import type { PlatformApp } from '../../platform/platform.ts';
import type { Payments } from '../payments.ts';
import { answerOnce, limitForm, requireKey } from './api.ts';
import { mountInvoices } from './invoice-routes.ts';
import { mountPortal } from './portal.tsx';
import { mountRefunds } from './refund-routes.ts';
import { mountSchedules } from './schedule-routes.ts';
import { mountSessions } from './session-routes.ts';
import { mountSubscriptions } from './subscription-routes.ts';

const resources = [
  ...['checkout', 'refunds', 'subscriptions', 'subscription_schedules'],
  ...['invoices', 'prices', 'billing_portal'],
];

/** The card provider's API. What a merchant does here sends its events too. */
export const mountCardApi = (app: PlatformApp, payments: Payments): void => {
  const once = answerOnce();
  for (const resource of resources) {
    app.use(`/v1/${resource}/*`, limitForm, requireKey, once);
  }
  mountSessions(app, payments);
  mountRefunds(app, payments);
  mountSubscriptions(app, payments);
  mountSchedules(app, payments);
  mountInvoices(app, payments);
  mountPortal(app, payments);
};

import type { Hono } from 'hono';
import type { HttpEnv } from '../../http/context.ts';
import { jobEntry } from '../../queue/job.ts';
import {
  cancelCardSubscription,
  cancelCardSubscriptionJob,
  closeCheckout,
  closeCheckoutJob,
  returnAbandoned,
  returnAbandonedJob,
} from './card/jobs.ts';
import { mountCardWebhook } from './card/webhook.ts';
import { mountCheckoutPages } from './checkout/pages.tsx';
import { mountCryptoWebhook } from './crypto/webhook.ts';
import { createBillingMetrics } from './events/metrics.ts';
import type { WebhookDependencies } from './events/process-event.ts';
import { expireSubscriptions, expireSubscriptionsJob } from './jobs.ts';
import { sendNotice, sendNoticeJob } from './notices/jobs.ts';
import { settleWaitingDispute, settleWaitingDisputeJob } from './payments/jobs.ts';
import { billingDashboardHandlers, billingHandlers } from './routes.ts';

/**
 * Plans that are paid by card, cryptocurrency or balance, and the ledger of all money.
 *
 *   checkout/       `create-invoice.ts` opens a checkout at a provider, or pays from the balance
 *   card/, crypto/  webhooks of the providers: `webhook.ts` checks the signature, `parse-event.ts` and
 *                   `parse-notification.ts` read the payload; `card/client.ts` calls the card provider
 *   events/         `process-event.ts` applies each event once; `order-payments.ts` is what billing needs
 *                   of the marketplace
 *   subscriptions/  facts that events add to a subscription, and the account's plan that follows
 *   payments/       paid invoices, refunds and disputes
 *   ledger/         `post.ts`, the only way to move money
 *   notices/        mails about failed payments and ending months
 *
 * `rules.ts` derives a subscription's state from its facts; `jobs.ts` expires subscriptions and invoices.
 */
export const billing = {
  createMetrics: createBillingMetrics,
  handlers: billingHandlers,
  dashboardHandlers: billingDashboardHandlers,
  mount: (app: Hono<HttpEnv>, dependencies: WebhookDependencies) => {
    mountCardWebhook(app, dependencies);
    mountCryptoWebhook(app, dependencies);
    mountCheckoutPages(app, dependencies);
  },
  jobs: [
    jobEntry(expireSubscriptions, expireSubscriptionsJob),
    jobEntry(sendNotice, sendNoticeJob),
    jobEntry(settleWaitingDispute, settleWaitingDisputeJob),
    jobEntry(cancelCardSubscription, cancelCardSubscriptionJob),
    jobEntry(closeCheckout, closeCheckoutJob),
    jobEntry(returnAbandoned, returnAbandonedJob),
  ],
};

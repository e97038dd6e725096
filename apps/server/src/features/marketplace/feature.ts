import { jobEntry } from '../../queue/job.ts';
import { deliverOrder, deliverOrderJob } from './delivery/jobs.ts';
import { expireOrders, expireOrdersJob } from './jobs.ts';
import { createOrderPayments } from './payments/order-payments.ts';
import { returnLatePayment, returnLatePaymentJob } from './payments/return-payment.ts';
import { marketplaceDashboardHandlers, marketplaceHandlers } from './routes.ts';

/**
 * Accounts sell to each other: templates, which a job delivers, and services, which the seller delivers.
 *
 *   listings/   creating and changing listings
 *   templates/  `make-template.ts` turns a backup into a template without people and ids
 *   orders/     `create-order.ts` places an order, `pay-order.ts` and `settle.ts` are its transitions
 *   payments/   what providers report about an order's payment: `order-payments.ts` is handed to billing
 *   money/      the ledger postings of orders and disputes, and payouts
 *   delivery/   the job that copies a template into the buyer's account, as a backup
 *
 * `rules.ts` has the states of an order and its fee; `jobs.ts` expires and confirms orders.
 */
export const marketplace = {
  handlers: marketplaceHandlers,
  dashboardHandlers: marketplaceDashboardHandlers,
  orderPayments: createOrderPayments,
  jobs: [
    jobEntry(deliverOrder, deliverOrderJob),
    jobEntry(returnLatePayment, returnLatePaymentJob),
    jobEntry(expireOrders, expireOrdersJob),
  ],
};

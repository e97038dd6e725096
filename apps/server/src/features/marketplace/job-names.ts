import { z } from 'zod';

/** Delivers a template that is paid for; `accountId` is the buyer's. */
export const fulfilOrder = {
  name: 'marketplace.fulfil',
  payload: z.object({ orderId: z.guid(), accountId: z.guid() }),
};

/** Gives a payment that came too late back at the card provider. */
export const returnLatePayment = {
  name: 'marketplace.return-payment',
  payload: z.object({ paymentId: z.guid() }),
};

/** What time alone changes. */
export const keepMarketTime = { name: 'marketplace.keep-time', payload: z.object({}) };

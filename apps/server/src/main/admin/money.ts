import { z } from 'zod';
import { refundOrder as refund } from '../../features/marketplace/orders/refund-order.ts';
import { payPayout as pay } from '../../features/marketplace/payouts/payouts.ts';
import { systemClock } from '../../kernel/clock.ts';
import { command, operator } from './command.ts';

export const payPayout = command(
  'Mark a payout as paid, once the money has been sent.',
  { payout: z.guid().describe('the id of the payout') },
  ({ db }, given) =>
    db.transaction(async (tx) => {
      const paid = await pay(tx, { id: given.payout, paidAt: systemClock.now() }, operator);
      if (!paid) throw new Error('No such payout, or it is paid already');
      const { id: payoutId, accountId, amountCents, currency, status } = paid;
      return { payoutId, accountId, amountCents, currency, status };
    }),
);

export const refundOrder = command(
  'Give the money of an order that is paid and not completed back to its buyer.',
  { order: z.guid().describe('the id of the order') },
  ({ db }, given) =>
    db.transaction(async (tx) => {
      const refunded = await refund(tx, given.order, operator);
      if (!refunded) throw new Error('No such order, or its money is not held any more');
      const { id: orderId, buyerId: accountId, status } = refunded;
      return { orderId, accountId, status };
    }),
);

import { z } from 'zod';
import { systemActor } from '../../features/audit/rules.ts';
import { payPayout as pay } from '../../features/marketplace/money/payouts.ts';
import { refundOrder as refund } from '../../features/marketplace/orders/settle.ts';
import { systemClock } from '../../kernel/clock.ts';
import { command } from './command.ts';

export const payPayout = command(
  'Mark a payout as paid, once the money has been sent.',
  { payout: z.guid().describe('the id of the payout') },
  ({ db }, given) =>
    db.transaction(async (tx) => {
      const paid = await pay(tx, { id: given.payout, paidAt: systemClock.now() }, systemActor);
      if (!paid) throw new Error('No such payout, or it is paid already');
      const { id: payoutId, accountId, amountCents, currency, status } = paid;
      return { payoutId, userId: accountId, amountCents, currency, status };
    }),
);

export const refundOrder = command(
  'Give the money of an order that is paid and not completed back to its buyer.',
  { order: z.guid().describe('the id of the order') },
  ({ db }, given) =>
    db.transaction(async (tx) => {
      const refunded = await refund(tx, given.order, systemActor);
      if (!refunded) throw new Error('No such order, or its money is not held any more');
      const { id: orderId, buyerId: userId, status } = refunded;
      return { orderId, userId, status };
    }),
);

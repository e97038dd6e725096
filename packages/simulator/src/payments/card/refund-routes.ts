import { z } from 'zod';
import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import type { Payments } from '../payments.ts';
import { answer, refuse, refuseMissing } from './api.ts';
import { newCardId } from './card-id.ts';
import { refundCharge } from './events.ts';
import { readNestedForm } from './form-fields.ts';
import { paymentIntentOf } from './objects.ts';
import type { Session } from './session.ts';

const refundForm = z
  .strictObject({
    payment_intent: z.string().optional(),
    charge: z.string().optional(),
    amount: z
      .string()
      .regex(/^\d{1,12}$/)
      .transform(Number)
      .optional(),
    reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  })
  .refine(
    ({ payment_intent, charge }) => (payment_intent === undefined) !== (charge === undefined),
  );

export const mountRefunds = (app: PlatformApp, payments: Payments): void => {
  app.post('/v1/refunds', async (c) => {
    const form = refundForm.safeParse(readNestedForm(await c.req.text())).data;
    if (!form) return refuse(c, 400, { message: 'One of `charge` or `payment_intent` is needed.' });
    const session = [...payments.sessions.values()].find((one) => isPaidBy(one, form));
    const charge = session?.charge;
    if (!session || !charge) {
      return refuseMissing(c, 'payment_intent', form.payment_intent ?? form.charge ?? '');
    }
    const remaining = charge.amount - charge.refunded;
    if (remaining === 0) {
      const message = `Charge ${charge.id} has already been refunded.`;
      return refuse(c, 400, { message, code: 'charge_already_refunded' });
    }
    if (charge.dispute && charge.dispute.status !== 'won') {
      const message = `Charge ${charge.id} has been charged back.`;
      return refuse(c, 400, { message, code: 'charge_disputed' });
    }
    const { amount = remaining } = form;
    if (amount > remaining) {
      const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${remaining})`;
      return refuse(c, 400, { message, param: 'amount' });
    }
    const now = nowSeconds();
    void payments.sendCardEvents(refundCharge(session, charge, amount, now));
    return answer(c, {
      ...{ id: newCardId('re'), object: 'refund', amount, charge: charge.id, created: now },
      ...{
        currency: session.currency,
        payment_intent: paymentIntentOf(charge),
        status: 'succeeded',
      },
      ...{ metadata: {}, reason: form.reason ?? null, receipt_number: null },
    });
  });
};

const isPaidBy = (
  { charge }: Session,
  form: { payment_intent?: string | undefined; charge?: string | undefined },
): boolean =>
  charge !== null && (charge.id === form.charge || paymentIntentOf(charge) === form.payment_intent);

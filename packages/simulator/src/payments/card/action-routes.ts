import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { PlatformApp } from '../../platform/platform.ts';
import type { Payments } from '../payments.ts';
import { nowSeconds } from '../payments.ts';
import { applyLaterAction, expireSession, refundCharge } from './events.ts';
import { readNestedForm } from './form-fields.ts';
import { paymentIntentOf, sessionObject, subscriptionObject } from './objects.ts';
import { newCardId, type Session, statusOf } from './session.ts';
import { answer, keyOf, refuse, refuseMissingKey } from './session-routes.ts';

const limitForm = bodyLimit({ maxSize: 16 * 1024 });

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

/** What a merchant can do after a checkout was opened; each action sends its events too. */
export const mountCardActions = (app: PlatformApp, payments: Payments): void => {
  const { sessions } = payments;

  app.post('/v1/checkout/sessions/:id/expire', limitForm, async (c) => {
    if (!keyOf(c)) return refuseMissingKey(c);
    const id = c.req.param('id');
    const session = sessions.get(id);
    if (!session) return refuseMissing(c, 'checkout.session', id);
    const now = nowSeconds();
    if (statusOf(session, now) !== 'open') {
      const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${statusOf(session, now)}.`;
      return refuse(c, 400, { message });
    }
    const events = expireSession(session, now);
    const body = sessionObject(session, now);
    void payments.sendCardEvents(events);
    return answer(c, body);
  });

  app.post('/v1/refunds', limitForm, async (c) => {
    if (!keyOf(c)) return refuseMissingKey(c);
    const form = refundForm.safeParse(readNestedForm(await c.req.text())).data;
    if (!form) return refuse(c, 400, { message: 'One of `charge` or `payment_intent` is needed.' });
    const session = [...sessions.values()].find((one) => isPaidBy(one, form));
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

  app.delete('/v1/subscriptions/:id', (c) => {
    if (!keyOf(c)) return refuseMissingKey(c);
    const id = c.req.param('id');
    const session = [...sessions.values()].find((one) => one.subscription?.id === id);
    const { subscription } = session ?? {};
    if (!session || !subscription || subscription.status === 'canceled') {
      return refuseMissing(c, 'subscription', id);
    }
    void payments.sendCardEvents(
      applyLaterAction(session, 'cancel-subscription', nowSeconds()) ?? [],
    );
    return answer(c, subscriptionObject(session, subscription));
  });
};

const isPaidBy = (
  { charge }: Session,
  form: { payment_intent?: string | undefined; charge?: string | undefined },
): boolean =>
  charge !== null && (charge.id === form.charge || paymentIntentOf(charge) === form.payment_intent);

const refuseMissing = (c: Context, kind: string, id: string) =>
  refuse(c, 404, { message: `No such ${kind}: '${id}'`, code: 'resource_missing', param: 'id' });

import type { Context } from 'hono';
import { z } from 'zod';
import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import type { Payments } from '../payments.ts';
import { answer, readForm, readQuery, refuse, refuseMissing } from './api.ts';
import { subscriptionObject } from './objects.ts';
import { itemOf } from './prices.ts';
import type { LineItem, Subscription } from './subscription.ts';
import { cancelSubscription, updateSubscription } from './subscription-events.ts';

const path = '/v1/subscriptions/:id';

export const prorationBehavior = z.enum(['always_invoice', 'create_prorations', 'none']);

export const itemsForm = z
  .array(
    z.strictObject({
      id: z.string().optional(),
      price: z.string(),
      quantity: z.string().regex(/^\d+$/).transform(Number).default(1),
    }),
  )
  .min(1)
  .max(20);

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

const cancelForm = z.strictObject({
  prorate: flag.default(false),
  invoice_now: flag.default(false),
  cancellation_details: z
    .strictObject({ comment: z.string().optional(), feedback: z.string().optional() })
    .optional(),
});

const updateForm = z.strictObject({
  items: itemsForm.optional(),
  metadata: z.record(z.string().max(40), z.string().max(500)).optional(),
  cancel_at_period_end: flag.optional(),
  proration_behavior: prorationBehavior.default('create_prorations'),
  proration_date: z.string().regex(/^\d+$/).optional(),
  payment_behavior: z
    .enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete'])
    .optional(),
});

export const mountSubscriptions = (app: PlatformApp, payments: Payments): void => {
  app.get(path, (c) => {
    const found = payments.findSubscription(c.req.param('id'));
    return found
      ? answer(c, subscriptionObject(found.subscription))
      : refuseMissing(c, 'subscription', c.req.param('id'));
  });

  app.post(path, async (c) => {
    const read = await readForm(c, updateForm);
    if ('refusal' in read) return read.refusal;
    const found = payments.findSubscription(c.req.param('id'));
    if (!found) return refuseMissing(c, 'subscription', c.req.param('id'));
    const { session, subscription } = found;
    const { form } = read;
    const items = form.items && readItems(payments, form.items);
    const refusal = refuseUpdate(c, subscription, form, items);
    if (refusal) return refusal;
    const change = {
      ...(items !== undefined && 'found' in items && { items: items.found }),
      ...(form.metadata && { metadata: form.metadata }),
      ...(form.cancel_at_period_end !== undefined && {
        cancelAtPeriodEnd: form.cancel_at_period_end,
      }),
      prorationBehavior: form.proration_behavior,
    };
    const events = updateSubscription(session, subscription, change, nowSeconds());
    if (events === 'declined') {
      const type = 'card_error';
      return refuse(c, 402, { message: 'Your card was declined.', code: 'card_declined', type });
    }
    const body = subscriptionObject(subscription);
    void payments.sendCardEvents(events);
    return answer(c, body);
  });

  app.delete(path, (c) => {
    const id = c.req.param('id');
    const read = readQuery(c, cancelForm);
    if ('refusal' in read) return read.refusal;
    const found = payments.findSubscription(id);
    if (!found || found.subscription.status === 'canceled') {
      return refuseMissing(c, 'subscription', id);
    }
    const { session, subscription } = found;
    const { prorate, invoice_now: invoiceNow } = read.form;
    const options = { prorate, invoiceNow };
    void payments.sendCardEvents(cancelSubscription(session, subscription, options, nowSeconds()));
    return answer(c, subscriptionObject(subscription));
  });
};

type ItemsRead = { found: LineItem[] } | { missing: string };

/** The items of the named prices; prices that came with a checkout cannot be used again. */
export const readItems = (
  { prices }: Pick<Payments, 'prices'>,
  items: z.output<typeof itemsForm>,
  existing: readonly LineItem[] = [],
): ItemsRead => {
  const found: LineItem[] = [];
  for (const { price: id, quantity } of items) {
    const price = prices.find(id);
    const isUsable = price?.isActive || existing.some(({ priceId }) => priceId === id);
    if (!price || !isUsable) return { missing: id };
    found.push({ ...itemOf(price), quantity });
  }
  return { found };
};

const refuseUpdate = (
  c: Context,
  subscription: Subscription,
  form: z.output<typeof updateForm>,
  items: ItemsRead | undefined,
): Response | undefined => {
  if (subscription.status === 'canceled') {
    const message =
      'A canceled subscription can only update its cancellation_details and metadata.';
    return refuse(c, 400, { message });
  }
  if (items && 'missing' in items) {
    const message = `No such price: '${items.missing}'`;
    return refuse(c, 400, { message, code: 'resource_missing', param: 'items[0][price]' });
  }
  const named = form.items?.[0]?.id;
  if (named !== undefined && named !== subscription.itemId) {
    const message = `No such subscription_item: '${named}'`;
    return refuse(c, 400, { message, code: 'resource_missing', param: 'items[0][id]' });
  }
  if (subscription.schedule && form.cancel_at_period_end !== undefined) {
    const message = `The subscription is managed by the subscription schedule \`${subscription.schedule.id}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`;
    return refuse(c, 400, { message });
  }
  return undefined;
};

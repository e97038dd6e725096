import { z } from 'zod';
import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import type { Payments } from '../payments.ts';
import { answer, listOf, readForm, refuse, refuseMissing } from './api.ts';
import { invoiceObject } from './invoice-objects.ts';
import { priceObject } from './objects.ts';
import { priceForm } from './prices.ts';
import { periodInvoice, prorationInvoice, totalOfInvoice } from './subscription.ts';
import { itemsForm, prorationBehavior, readItems } from './subscription-routes.ts';

const previewForm = z.strictObject({
  customer: z.string().optional(),
  subscription: z.string(),
  subscription_details: z
    .strictObject({
      items: itemsForm.optional(),
      proration_behavior: prorationBehavior.default('create_prorations'),
      proration_date: z.string().regex(/^\d+$/).transform(Number).optional(),
      cancel_at_period_end: z.enum(['true', 'false']).optional(),
    })
    .default({ proration_behavior: 'create_prorations' }),
});

/** Invoices of subscriptions, and the prices that they are for. */
export const mountInvoices = (app: PlatformApp, payments: Payments): void => {
  app.get('/v1/invoices', (c) => {
    const { customer, subscription, limit = '10', status } = c.req.query();
    const objects = payments
      .listSubscriptions()
      .filter(({ customerId }) => customer === undefined || customerId === customer)
      .filter(({ id }) => subscription === undefined || id === subscription)
      .flatMap((one) => one.invoices.map((invoice) => invoiceObject(one, invoice, nowSeconds())))
      .filter((invoice) => status === undefined || invoice.status === status)
      .toReversed()
      .toSorted((one, other) => other.created - one.created);
    return answer(c, listOf('/v1/invoices', objects.slice(0, Number(limit))));
  });

  app.get('/v1/invoices/:id', (c) => {
    const found = payments.findInvoice(c.req.param('id'));
    if (!found) return refuseMissing(c, 'invoice', c.req.param('id'));
    return answer(c, invoiceObject(found.subscription, found.invoice, nowSeconds()));
  });

  app.post('/v1/invoices/create_preview', async (c) => {
    const read = await readForm(c, previewForm);
    if ('refusal' in read) return read.refusal;
    const { subscription: id, subscription_details: details } = read.form;
    const { subscription } = payments.findSubscription(id) ?? {};
    if (!subscription) return refuseMissing(c, 'subscription', id, 'subscription');
    const items = details.items && readItems(payments, details.items, subscription.items);
    if (items && 'missing' in items) return refuseMissing(c, 'price', items.missing, 'price');
    const now = details.proration_date ?? nowSeconds();
    const period = { ...subscription, periodStart: subscription.periodEnd };
    const invoice =
      items && details.proration_behavior === 'always_invoice'
        ? prorationInvoice(subscription, items.found, now)
        : periodInvoice(
            { ...period, items: items?.found ?? period.items },
            'subscription_cycle',
            now,
          );
    const total = totalOfInvoice(invoice);
    const balanceUsed = total < 0 ? 0 : Math.max(subscription.account.balance, -total);
    const preview = { ...invoice, balanceUsed };
    return answer(c, invoiceObject(subscription, preview, now, { isPreview: true }));
  });

  app.post('/v1/prices', async (c) => {
    const read = await readForm(c, priceForm);
    if ('refusal' in read) return read.refusal;
    const price = payments.prices.add(read.form);
    if (price) return answer(c, priceObject(price));
    const message = 'A price with this lookup key exists: use `transfer_lookup_key`.';
    return refuse(c, 400, { message, param: 'lookup_key' });
  });

  app.get('/v1/prices', (c) => {
    const keys = Object.entries(c.req.queries())
      .filter(([name]) => name.startsWith('lookup_keys['))
      .flatMap(([, values]) => values);
    const prices = payments.prices.list(keys).map(priceObject);
    return answer(c, listOf('/v1/prices', prices.slice(0, Number(c.req.query('limit') ?? 10))));
  });
};

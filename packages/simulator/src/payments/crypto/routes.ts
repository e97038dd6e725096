import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import type { Payments } from '../payments.ts';
import { originOf } from '../payments.ts';
import {
  type CryptoAction,
  type CryptoInvoice,
  invoiceBody,
  invoiceRecord,
  newInvoice,
  transitionInvoice,
} from './invoice.ts';

const limitBody = bodyLimit({
  maxSize: 64 * 1024,
  onError: (c) => refuse(c, 413, 'too_large', 'The request is too large.'),
});

/** The crypto provider's API. Any merchant key is accepted, but there must be one. */
export const mountCryptoApi = (app: PlatformApp, payments: Payments): void => {
  const { invoices } = payments;

  app.post('/v1/payment/invoice', limitBody, async (c) => {
    const merchantKey = c.req.header('merchant_api_key');
    if (!merchantKey) return refuseMissingKey(c);
    const body = invoiceBody.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return refuse(c, 400, 'validation', z.prettifyError(body.error));
    const invoice = newInvoice(body.data, { merchantKey, now: nowSeconds(), origin: originOf(c) });
    invoices.set(invoice.trackId, invoice);
    const expire = () => applyCryptoAction(payments, invoice, 'expire');
    invoice.expiry = setTimeout(expire, invoice.lifetimeMinutes * 60_000);
    const { trackId: track_id, url: payment_url, expiresAt: expired_at, createdAt: date } = invoice;
    return answer(c, { track_id, payment_url, expired_at, date });
  });

  app.get('/v1/payment/:trackId', (c) => {
    const invoice = invoices.get(c.req.param('trackId'));
    if (!c.req.header('merchant_api_key')) return refuseMissingKey(c);
    return invoice
      ? answer(c, invoiceRecord(invoice))
      : refuse(c, 404, 'not_found', 'There is no such payment.');
  });
};

/** Applies an action and notifies the merchant. */
export const applyCryptoAction = async (
  payments: Payments,
  invoice: CryptoInvoice,
  action: CryptoAction,
): Promise<void> => {
  const callback = transitionInvoice(invoice, action, nowSeconds());
  if (!callback) return;
  if (invoice.status !== 'Paying') clearTimeout(invoice.expiry);
  await payments.sendCryptoCallback(invoice, callback);
};

const answer = (c: Context, data: object) =>
  c.json({
    data,
    message: 'Operation completed successfully!',
    error: {},
    status: 200,
    version: '1.0.0',
  });

const refuse = (c: Context, status: ContentfulStatusCode, key: string, message: string) =>
  c.json(
    { data: {}, message, error: { type: 'invalid', key, message }, status, version: '1.0.0' },
    status,
  );

const refuseMissingKey = (c: Context) =>
  refuse(c, 401, 'invalid_merchant_key', 'Send your key in the header merchant_api_key.');

import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { PlatformApp } from '../platform/platform.ts';
import {
  type CryptoInvoice,
  type CryptoStep,
  invoiceBody,
  invoiceRecord,
  newInvoice,
  takeCryptoStep,
} from './crypto-invoice.ts';
import type { Payments } from './payments.ts';
import { nowSeconds, originOf } from './request-facts.ts';

const longestBody = bodyLimit({
  maxSize: 64 * 1024,
  onError: (c) => refuse(c, 413, 'too_large', 'The request is too large.'),
});

/** The crypto provider's API: invoices. Any merchant key is good, but there must be one. */
export const mountCryptoApi = (app: PlatformApp, payments: Payments): void => {
  const { invoices } = payments;

  app.post('/v1/payment/invoice', longestBody, async (c) => {
    const merchantKey = c.req.header('merchant_api_key');
    if (!merchantKey) return refuseKey(c);
    const body = invoiceBody.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return refuse(c, 400, 'validation', z.prettifyError(body.error));
    const invoice = newInvoice(body.data, { merchantKey, now: nowSeconds(), origin: originOf(c) });
    invoices.set(invoice.trackId, invoice);
    const end = () => advanceInvoice(payments, invoice, 'expire');
    invoice.expiry = setTimeout(end, invoice.lifetimeMinutes * 60_000);
    const { trackId, url, expiresAt, createdAt } = invoice;
    return answer(c, {
      track_id: trackId,
      payment_url: url,
      expired_at: expiresAt,
      date: createdAt,
    });
  });

  app.get('/v1/payment/:trackId', (c) => {
    const invoice = invoices.get(c.req.param('trackId'));
    if (!c.req.header('merchant_api_key')) return refuseKey(c);
    return invoice
      ? answer(c, invoiceRecord(invoice))
      : refuse(c, 404, 'not_found', 'There is no such payment.');
  });
};

/** Takes a step and tells the merchant; false where the invoice is past it. */
export const advanceInvoice = async (
  payments: Payments,
  invoice: CryptoInvoice,
  step: CryptoStep,
): Promise<boolean> => {
  const told = takeCryptoStep(invoice, step, nowSeconds());
  if (!told) return false;
  if (invoice.status !== 'Paying') clearTimeout(invoice.expiry);
  await payments.tellOfCrypto(invoice, told);
  return true;
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

const refuseKey = (c: Context) =>
  refuse(c, 401, 'invalid_merchant_key', 'Send your key in the header merchant_api_key.');

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import type { Transaction } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/admission.ts';
import { readWithin } from '../../../http/read-body.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { applyEnd, applyPayment, findPayer } from '../invoices/pay-invoice.ts';
import { parseJson, refuseEvent, takeEvent } from '../receive.ts';
import type { BillingTools, OrderEnding, Settlement, WebhookTools } from '../tools.ts';
import { keepAmounts, type Notification, readNotification } from './notification.ts';

const largestNotificationBytes = 1024 * 1024;

export const cryptoWebhookPath = (provider: string): string => `/api/${provider}/webhook`;

/** Where the cryptocurrency provider tells what became of an invoice (spec 4.2). */
export const mountCryptoWebhook = (app: Hono<HttpEnv>, tools: WebhookTools): void => {
  app.post(cryptoWebhookPath(tools.billing.cryptoProvider), async (context) => {
    context.set('operation', 'billing.crypto');
    const body = await readWithin(context.req.raw, largestNotificationBytes);
    const digest = context.req.header('hmac') ?? '';
    if (!isSigned(tools.billing.merchantSecret, digest, body)) {
      throw refuseEvent('The HMAC is missing or does not fit');
    }
    const told = readNotification(parseJson(body, keepAmounts));
    if (!told) throw refuseEvent('The body is not a notification');
    // These requests carry neither a time nor an id: so one state of one payment counts once, for ever.
    const providerEventId = `${told.trackId}:${told.state.toLowerCase()}`;
    const taken = { provider: 'CRYPTO', providerEventId, type: told.state } as const;
    await takeEvent(tools, { ...taken, subjectRef: null }, (tx) =>
      apply(tx, tools, providerEventId, told),
    );
    // The provider takes no other answer for a success.
    return context.text('ok');
  });
};

const isSigned = (secret: Secret | undefined, digest: string, body: Uint8Array): boolean => {
  if (!secret || !/^[0-9a-f]{128}$/i.test(digest)) return false;
  const expected = createHmac('sha512', secret.reveal()).update(body).digest();
  return timingSafeEqual(Buffer.from(digest, 'hex'), expected);
};

const endings = new Map<string, OrderEnding['why']>([
  ['Expired', 'expire'],
  ['Failed', 'fail'],
]);

const apply = async (
  tx: Transaction,
  tools: BillingTools,
  eventId: string,
  { trackId, orderId, state, amountCents, currency }: Notification,
): Promise<Settlement> => {
  if (orderId === null) return { outcome: 'UNMATCHED', accountId: null };
  if (state === 'Paid') {
    const payment = { provider: 'CRYPTO', providerRef: trackId, paymentIntent: null } as const;
    return applyPayment(tx, tools, eventId, {
      ...payment,
      paidFor: orderId,
      amountCents,
      currency,
    });
  }
  const why = endings.get(state);
  if (why) return applyEnd(tx, tools, eventId, { orderId, why });
  return { outcome: 'IGNORED', accountId: await findPayer(tx, tools, orderId) };
};

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import type { Transaction } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { readWithin } from '../../../http/endpoint/read-body.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { EventResult, PaymentEnding } from '../events/order-payments.ts';
import {
  type BillingDependencies,
  invalidEvent,
  maxEventBytes,
  parseJson,
  processEvent,
  type WebhookDependencies,
} from '../events/process-event.ts';
import { applyEnding, applyPayment, findPayer } from '../payments/apply-payment.ts';
import { keepAmountText, type Notification, parseNotification } from './parse-notification.ts';

export const cryptoWebhookPath = (provider: string): string => `/api/${provider}/webhook`;

/** Receives the cryptocurrency provider's notifications about invoices (spec 4.2). */
export const mountCryptoWebhook = (app: Hono<HttpEnv>, dependencies: WebhookDependencies): void => {
  const { cryptoProvider, merchantSecret } = dependencies.billing;
  app.post(cryptoWebhookPath(cryptoProvider), async (context) => {
    context.set('operation', 'billing.crypto');
    const body = await readWithin(context.req.raw, maxEventBytes);
    const digest = context.req.header('hmac') ?? '';
    if (!isSigned(merchantSecret, digest, body)) {
      throw invalidEvent('The HMAC is missing or does not fit');
    }
    const notification = parseNotification(parseJson(body, keepAmountText));
    if (!notification) throw invalidEvent('The body is not a notification');
    const { trackId, state } = notification;
    // Notifications have neither a time nor an id, so each state of a payment is applied once, for ever.
    const providerEventId = `${trackId}:${state.toLowerCase()}`;
    const row = { provider: 'CRYPTO', providerEventId, type: state, subjectRef: null } as const;
    await processEvent(dependencies, row, (tx) =>
      apply(tx, dependencies, providerEventId, notification),
    );
    // The provider accepts no other answer as a success.
    return context.text('ok');
  });
};

const isSigned = (secret: Secret | undefined, digest: string, body: Uint8Array): boolean => {
  if (!secret || !/^[0-9a-f]{128}$/i.test(digest)) return false;
  const expected = createHmac('sha512', secret.reveal()).update(body).digest();
  return timingSafeEqual(Buffer.from(digest, 'hex'), expected);
};

const endings = new Map<string, PaymentEnding['reason']>([
  ['Expired', 'expire'],
  ['Failed', 'fail'],
]);

const apply = async (
  tx: Transaction,
  dependencies: BillingDependencies,
  eventId: string,
  { trackId, orderId: paidFor, state, amountCents, currency }: Notification,
): Promise<EventResult> => {
  if (paidFor === null) return { outcome: 'UNMATCHED', accountId: null };
  if (state === 'Paid') {
    return applyPayment(tx, dependencies, eventId, {
      ...{ provider: 'CRYPTO', providerRef: trackId, paymentIntent: null },
      ...{ paidFor, amountCents, currency },
    });
  }
  const reason = endings.get(state);
  if (reason) return applyEnding(tx, dependencies, eventId, { paidFor, reason });
  return { outcome: 'IGNORED', accountId: await findPayer(tx, dependencies, paidFor) };
};

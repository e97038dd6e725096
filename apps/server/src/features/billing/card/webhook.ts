import type { Context, Hono } from 'hono';
import type { Transaction } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { readWithin } from '../../../http/endpoint/read-body.ts';
import type { EventResult } from '../events/order-payments.ts';
import {
  type BillingDependencies,
  invalidEvent,
  maxEventBytes,
  parseJson,
  processEvent,
  type WebhookDependencies,
} from '../events/process-event.ts';
import { applyDispute } from '../payments/apply-dispute.ts';
import { applyDelay, applyEnding, applyPayment } from '../payments/apply-payment.ts';
import { applyRefund } from '../payments/apply-refund.ts';
import { findAccountOfCustomer } from '../queries/customers.ts';
import { applySubscriptionEvent, findClaimant } from '../subscriptions/apply-subscription-event.ts';
import { type CardEvent, parseCardEvent } from './parse-event.ts';
import { cardEvent } from './shapes.ts';
import { verifySignature } from './signature.ts';

export const cardWebhookPath = '/api/billing/webhook';

/** Receives the card provider's events (spec 4.2). */
export const mountCardWebhook = (app: Hono<HttpEnv>, dependencies: WebhookDependencies): void => {
  app.post(cardWebhookPath, async (context) => {
    context.set('operation', 'billing.card');
    const body = await readWithin(context.req.raw, maxEventBytes);
    const signedAt = requireSignature(context, dependencies, body);
    const parsed = cardEvent.safeParse(parseJson(body));
    if (!parsed.success) throw invalidEvent('The body is not an event');
    const { id, type, created = signedAt, data } = parsed.data;
    const { prices } = dependencies.billing;
    const event = parseCardEvent({ type, at: created, object: data?.object }, prices);
    const row = {
      provider: 'CARD',
      providerEventId: id,
      type,
      subjectRef: subjectOf(event),
    } as const;
    await processEvent(dependencies, row, (tx) => apply(tx, dependencies, id, event));
    return context.json({ data: { received: true } });
  });
};

/** Both names of the header are accepted, but not both at once. */
const signatureHeaders = ['billing-signature', 'stripe-signature'];

const requireSignature = (
  context: Context<HttpEnv>,
  { billing: { signingSecret }, clock }: WebhookDependencies,
  body: Uint8Array,
): number => {
  const [header, ...others] = signatureHeaders.flatMap((name) => context.req.header(name) ?? []);
  const signedAt =
    signingSecret && header !== undefined && others.length === 0
      ? verifySignature(signingSecret, { header, body }, clock.now())
      : undefined;
  if (signedAt === undefined) throw invalidEvent('The signature is missing or does not fit');
  return signedAt;
};

const subjectOf = (event: CardEvent): string | null => {
  if (event.about === 'subscription') return event.providerRef;
  if (event.about === 'dispute') return event.chargeId ?? event.paymentIntent;
  return event.about === 'refund' ? event.chargeId : null;
};

const unreadPlanPayment = { orderId: null, amountCents: null, currency: null };

const apply = async (
  tx: Transaction,
  dependencies: BillingDependencies,
  eventId: string,
  event: CardEvent,
): Promise<EventResult> => {
  switch (event.about) {
    case 'subscription':
      return applySubscriptionEvent(tx, dependencies, eventId, event);
    case 'refund':
      return applyRefund(tx, dependencies, eventId, event);
    case 'dispute':
      return applyDispute(tx, dependencies, eventId, event);
    case 'payment':
      return applyPayment(tx, dependencies, eventId, event);
    case 'delay':
      return applyDelay(tx, dependencies, eventId, event);
    case 'ending':
      return applyEnding(tx, dependencies, eventId, event);
    case 'mismatch': {
      const accountId = (await findClaimant(tx, event.accountIds))?.accountId ?? null;
      const mismatch = event.isPayment ? unreadPlanPayment : undefined;
      return { outcome: 'MISMATCH', accountId, mismatch };
    }
    case 'unreadable':
      return { outcome: 'UNMATCHED', accountId: null };
    case 'nothing': {
      const { customerId } = event;
      const accountId = customerId === null ? null : await findAccountOfCustomer(tx, customerId);
      return { outcome: 'IGNORED', accountId };
    }
  }
};

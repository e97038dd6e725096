import type { Context, Hono } from 'hono';
import type { Transaction } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/admission.ts';
import { readWithin } from '../../../http/read-body.ts';
import { findUserOfCustomer } from '../customers/queries.ts';
import { applyDispute } from '../disputes/apply-dispute.ts';
import { applyPayment } from '../invoices/pay-invoice.ts';
import { parseJson, refuseEvent, takeEvent } from '../receive.ts';
import { applyRefund } from '../refunds/apply-refund.ts';
import { applyFact } from '../subscriptions/apply-fact.ts';
import type { BillingTools, Settlement, WebhookTools } from '../tools.ts';
import { cardEvent } from './shapes.ts';
import { verifySignature } from './signature.ts';
import { type News, newsOf } from './translate.ts';

const largestEventBytes = 1024 * 1024;

export const cardWebhookPath = '/api/billing/webhook';

/** Where the card provider tells what happened (spec 4.2). */
export const mountCardWebhook = (app: Hono<HttpEnv>, tools: WebhookTools): void => {
  app.post(cardWebhookPath, async (context) => {
    context.set('operation', 'billing.card');
    const body = await readWithin(context.req.raw, largestEventBytes);
    const signedAt = whenSigned(context, tools, body);
    const parsed = cardEvent.safeParse(parseJson(body));
    if (!parsed.success) throw refuseEvent('The body is not an event');
    const { id, type, created = signedAt, data } = parsed.data;
    const news = newsOf({ type, at: created, object: data?.object }, tools.billing.prices);
    const taken = { provider: 'CARD', providerEventId: id, type, subjectRef: refIn(news) } as const;
    await takeEvent(tools, taken, (tx) => apply(tx, tools, id, news));
    return context.json({ data: { received: true } });
  });
};

/** The provider's own name of the header counts as well; both at once are one too many. */
const signatureHeaders = ['billing-signature', 'stripe-signature'];

const whenSigned = (context: Context<HttpEnv>, tools: WebhookTools, body: Uint8Array): number => {
  const { signingSecret } = tools.billing;
  const [header, ...others] = signatureHeaders.flatMap((name) => context.req.header(name) ?? []);
  const signedAt =
    signingSecret && header !== undefined && others.length === 0
      ? verifySignature(signingSecret, { header, body }, tools.clock.now())
      : undefined;
  if (signedAt === undefined) throw refuseEvent('The signature is missing or does not fit');
  return signedAt;
};

const refIn = (news: News): string | null => {
  if (news.about === 'subscription') return news.providerRef;
  if (news.about === 'dispute') return news.chargeId ?? news.paymentIntent;
  return news.about === 'charge' ? news.chargeId : null;
};

const apply = async (
  tx: Transaction,
  tools: BillingTools,
  eventId: string,
  news: News,
): Promise<Settlement> => {
  switch (news.about) {
    case 'subscription':
      return applyFact(tx, tools, eventId, news);
    case 'charge':
      return applyRefund(tx, tools, eventId, news);
    case 'dispute':
      return applyDispute(tx, tools, eventId, news);
    case 'payment':
      return applyPayment(tx, tools, eventId, news);
    case 'unreadable':
      return { outcome: 'UNMATCHED', accountId: null };
    case 'nothing': {
      const { customerId } = news;
      const accountId = customerId === null ? null : await findUserOfCustomer(tx, customerId);
      return { outcome: 'IGNORED', accountId };
    }
  }
};

import { createHmac } from 'node:crypto';
import { billingInvoices } from '../../../src/features/billing/table.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { CallOptions, OwnTenant, Reply } from '../service.ts';

/** As the providers' secrets are set in `testBilling`. */
export const signingSecret = 'whsec_test';
export const merchantSecret = 'merchant-test';

type Caller = {
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
};

let counted = 0;
/** A unique id in the card provider's form. */
export const newRef = (kind: string): string => `${kind}_${Date.now().toString(36)}${++counted}`;

export type RawCardEvent = {
  id: string;
  object: 'event';
  type: string;
  created: number;
  data: { object: Record<string, unknown> };
};

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

export const cardEvent = (
  type: string,
  object: Record<string, unknown>,
  created = nowSeconds(),
): RawCardEvent => ({ id: newRef('evt'), object: 'event', type, created, data: { object } });

export const hmac256 = (text: string, secret = signingSecret): string =>
  createHmac('sha256', secret).update(text).digest('hex');

export const signatureOf = (body: string, at = nowSeconds(), secret = signingSecret): string =>
  `t=${at},v1=${hmac256(`${at}.${body}`, secret)}`;

/** Sends a body to the card provider's address, signed as it would. */
export const sendRaw = (
  caller: Caller,
  body: string,
  headers: Record<string, string> = { 'Billing-Signature': signatureOf(body) },
): Promise<Reply> =>
  caller.call('POST', '/api/billing/webhook', {
    raw: body,
    headers: { 'content-type': 'application/json', ...headers },
  });

export const sendCard = (
  caller: Caller,
  event: RawCardEvent,
  signedAt = nowSeconds(),
): Promise<Reply> => {
  const body = JSON.stringify(event);
  return sendRaw(caller, body, { 'Billing-Signature': signatureOf(body, signedAt) });
};

export const sendCrypto = (caller: Caller, body: object | string): Promise<Reply> => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  const digest = createHmac('sha512', merchantSecret).update(raw).digest('hex');
  return caller.call('POST', '/api/oxapay/webhook', {
    raw,
    headers: { 'content-type': 'application/json', HMAC: digest },
  });
};

/** One customer's subscription at the card provider, and what the provider says about it. */
export const cardSubscription = (
  accountId: string,
  refs: { customer?: string; id?: string } = {},
) => {
  const { customer = newRef('cus'), id = newRef('sub') } = refs;
  const paidFor = (object: Record<string, unknown>) => ({
    ...object,
    customer,
    parent: { type: 'subscription_details', subscription_details: { subscription: id } },
  });
  const session = (event: string, plan: string, created?: number, more: object = {}) =>
    cardEvent(
      `checkout.session.${event}`,
      {
        ...{ id: newRef('cs'), object: 'checkout.session', mode: 'subscription' },
        ...{ customer, subscription: id, client_reference_id: accountId },
        ...{ payment_status: 'paid', metadata: { plan }, ...more },
      },
      created,
    );
  return {
    id,
    customer,
    checkout: (plan: string, created?: number, more: object = {}) =>
      session('completed', plan, created, more),
    /** How a delayed payment of the checkout ended. */
    ended: (how: 'succeeded' | 'failed', plan: string, created?: number, begunAt = created) =>
      session(`async_payment_${how}`, plan, created, {
        ...{ created: begunAt, payment_status: how === 'succeeded' ? 'paid' : 'unpaid' },
      }),
    update: (plan: string, created?: number, more: object = {}) =>
      cardEvent(
        'customer.subscription.updated',
        {
          ...{ id, object: 'subscription', customer, status: 'active', metadata: { plan } },
          items: { data: [{ current_period_end: 1_900_000_000 }] },
          ...more,
        },
        created,
      ),
    deletion: (created?: number, more: object = {}) =>
      cardEvent(
        'customer.subscription.deleted',
        { id, object: 'subscription', customer, status: 'canceled', ...more },
        created,
      ),
    payment: (periodEnd: number, created?: number) =>
      cardEvent(
        'invoice.payment_succeeded',
        paidFor({ id: newRef('in'), lines: { data: [{ period: { end: periodEnd } }] } }),
        created,
      ),
    failure: (created?: number, invoiceId = newRef('in')) =>
      cardEvent('invoice.payment_failed', paidFor({ id: invoiceId }), created),
    refund: (chargeId: string, amountRefunded: number, created?: number) =>
      cardEvent(
        'charge.refunded',
        { id: chargeId, customer, amount_refunded: amountRefunded, currency: 'usd' },
        created,
      ),
  };
};

type Invoice = Partial<typeof billingInvoices.$inferInsert>;

/** An invoice that waits to be paid, without asking a provider for it. */
export const insertInvoice = async (tenant: OwnTenant, changes: Invoice = {}) => {
  const id = newId();
  await tenant.db.insert(billingInvoices).values({
    ...{ id, accountId: tenant.accountId, plan: 'PREMIUM', payWith: 'CRYPTO' },
    ...{ amountCents: 500, currency: 'USD', providerRef: newRef('track') },
    payUrl: 'https://pay.example.com/',
    expiresAt: new Date(Date.now() + 3_600_000),
    ...changes,
  });
  return id;
};

export const accountOf = async (tenant: { call: Caller['call'] }) =>
  (await tenant.call('GET', '/api/v1/account')).body.data;

export const eventsOf = async (tenant: { call: Caller['call'] }) =>
  (await tenant.call('GET', '/api/v1/billing/events?limit=100')).body.data;

export const ledgerOf = async (tenant: { call: Caller['call'] }) =>
  (await tenant.call('GET', '/api/v1/billing/ledger?limit=100')).body.data;

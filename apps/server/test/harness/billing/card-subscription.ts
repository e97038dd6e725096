import { newId } from '../../../src/kernel/ids.ts';
import type { Tenant } from '../service.ts';
import { cardEvent, sendCard } from './events.ts';

const headers = { Authorization: 'Bearer sk_test' };

/** What the card provider at that address answers. */
export const askProvider = async (url: string, path: string) =>
  (await fetch(`${url}${path}`, { headers })).json();

/** Presses a button of the provider's pay page. */
export const pressAt = (payUrl: string, step: string) =>
  fetch(payUrl, { method: 'POST', body: new URLSearchParams({ step }), redirect: 'manual' });

/** The events that the provider would send about the subscription as it is now. */
const reportSubscription = async (
  tenant: Pick<Tenant, 'call'>,
  { url, ref }: { url: string; ref: string },
) => {
  const object = await askProvider(url, `/v1/subscriptions/${ref}`);
  await sendCard(tenant, cardEvent('customer.subscription.updated', object));
};

/** The account pays for a plan by card at the simulator, and the service is told. */
export const subscribeByCard = async (tenant: Pick<Tenant, 'call'>, plan: string) => {
  const reply = await tenant.call('POST', '/api/v1/billing/invoices', {
    body: { plan, payWith: 'CARD' },
    headers: { 'idempotency-key': newId() },
  });
  if (reply.status !== 201) throw new Error(`No checkout: ${reply.text}`);
  const { payUrl } = reply.body.data;
  const { origin: url, pathname } = new URL(payUrl);
  await pressAt(payUrl, 'pay');
  const session = await askProvider(url, `/v1/checkout/sessions/${pathname.split('/').at(-1)}`);
  await sendCard(tenant, cardEvent('checkout.session.completed', session));
  const subscription = { url, ref: String(session.subscription) };
  await reportSubscription(tenant, subscription);
  return { ...subscription, payUrl: String(payUrl), customer: String(session.customer) };
};

/** An account has one at most. Its plan is the highest, so that the limits of no other sample are reached. */
export const ensureCardSubscription = async (tenant: Pick<Tenant, 'call'>): Promise<void> => {
  const { status } = await tenant.call('POST', '/api/v1/billing/subscription/resume');
  if (status === 409) await subscribeByCard(tenant, 'ENTERPRISE');
};

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { sendRaw } from '../../../../test/harness/billing/events.ts';
import { expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  actOn,
  createListing,
  orderOf,
  placeOrder,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';

let service: TestService;
let provider: string;
beforeAll(async () => {
  const doesWork = ['billing.close-checkout', 'marketplace.return-payment'];
  service = await startTestService({ doesWork });
  provider = (await sharedSimulator()).url;
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const newOrder = async () => {
  const [seller, buyer] = [await service.newTenant(), await service.newTenant()];
  const { id: listingId } = await createListing(seller);
  const { id, checkoutUrl } = (await placeOrder(buyer, listingId)).body.data;
  return { buyer, id, session: String(new URL(checkoutUrl).pathname.split('/').at(-1)) };
};

const openCheckout = async (path: string) => {
  const headers = { authorization: 'Bearer sk_test_any' };
  return (await fetch(`${provider}${path}`, { headers })).json();
};

const payAt = (session: string) =>
  fetch(`${provider}/pay/card/${session}`, {
    ...{ method: 'POST', body: new URLSearchParams({ step: 'pay' }), redirect: 'manual' },
  });

type Sent = { type: string; body: string };

/** The provider's events of this checkout, sent or not. */
const eventsAbout = async (text: string, type: string): Promise<Sent[]> => {
  const sent: Sent[] = await openCheckout('/__sim/payments/events');
  return sent.filter((event) => event.type === type && event.body.includes(text));
};

test('cancelling an order closes its checkout at the provider', async () => {
  const { buyer, id, session } = await newOrder();
  expect((await actOn(buyer, id, 'cancel')).body.data.status).toBe('CANCELLED');
  await eventually(20_000, async () => {
    const { status, url } = await openCheckout(`/v1/checkout/sessions/${session}`);
    expect([status, url]).toEqual(['expired', null]);
  });
  await payAt(session);
  expect(await eventsAbout(session, 'checkout.session.completed')).toEqual([]);
});

test('a payment that arrives after the order was cancelled is refunded at the provider', async () => {
  const { buyer, id, session } = await newOrder();
  await payAt(session);
  await actOn(buyer, id, 'cancel');
  const [paid] = await eventsAbout(session, 'checkout.session.completed');
  const body = paid?.body ?? '';
  expect((await sendRaw(service, body)).status).toBe(200);
  const refunded = await eventually(20_000, async () => {
    const [event] = await eventsAbout(id, 'charge.refunded');
    expect(event).toBeDefined();
    return event?.body ?? '';
  });
  expect((await sendRaw(service, refunded)).status).toBe(200);
  expect((await sendRaw(service, body)).status).toBe(200);
  expect([await transactionsOf(buyer), (await orderOf(buyer, id)).status]).toEqual([
    [],
    'CANCELLED',
  ]);
  await eventually(20_000, async () => {
    const actions = (await auditOf(buyer)).data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['order.late_payment']));
  });
});

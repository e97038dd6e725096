import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Stripe from 'stripe';
import {
  accountOf,
  cardSubscription,
  eventsOf,
  hmac256,
  nowSeconds,
  sendRaw,
  signatureOf,
  signingSecret,
} from '../../../../test/harness/billing/events.ts';
import { expectBelow } from '../../../../test/harness/bounds.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
  testBilling,
} from '../../../../test/harness/service.ts';

let service: TestService;
let tenant: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newTenant({ plan: 'FREE' });
});
afterAll(() => service.stop());

const newBody = (plan = 'PREMIUM'): string =>
  JSON.stringify(cardSubscription(tenant.accountId).checkout(plan));

const v1 = (body: string, at: number, secret?: string) => `v1=${hmac256(`${at}.${body}`, secret)}`;
const wrong = `v1=${'0'.repeat(64)}`;

describe('a signed event is accepted', () => {
  const good: [string, (body: string, at: number) => Record<string, string>][] = [
    ['with the header’s own name', (body, at) => ({ 'Billing-Signature': signatureOf(body, at) })],
    [
      'with the provider’s name of the header',
      (body, at) => ({ 'Stripe-Signature': signatureOf(body, at) }),
    ],
    [
      'with a v0 beside the v1',
      (body, at) => ({ 'Billing-Signature': `${signatureOf(body, at)},v0=${'a'.repeat(64)}` }),
    ],
    [
      'with two v1 of which the second is valid',
      (body, at) => ({ 'Billing-Signature': `t=${at},${wrong},${v1(body, at)}` }),
    ],
    ['with the time last', (body, at) => ({ 'Billing-Signature': `${v1(body, at)},t=${at}` })],
    [
      'of nearly five minutes ago',
      (body, at) => ({ 'Billing-Signature': signatureOf(body, at - 290) }),
    ],
    [
      'of a clock nearly five minutes ahead',
      (body, at) => ({ 'Billing-Signature': signatureOf(body, at + 290) }),
    ],
    [
      'whose valid v1 comes before 5,000 others',
      (body, at) => ({
        'Billing-Signature': `${signatureOf(body, at)},${Array(5000).fill(wrong).join(',')}`,
      }),
    ],
  ];
  test.each(good)('%s', async (_, headersFor) => {
    const body = newBody();
    const reply = await sendRaw(service, body, headersFor(body, nowSeconds()));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ data: { received: true } });
    const { id } = JSON.parse(body);
    expect(await eventsOf(tenant)).toContainEqual(
      expect.objectContaining({ providerEventId: id, outcome: 'APPLIED' }),
    );
  });

  test('when the provider’s own package made the header', async () => {
    const stripe = new Stripe('sk_test_none');
    const body = newBody();
    const header = await stripe.webhooks.generateTestHeaderStringAsync({
      payload: body,
      secret: signingSecret,
    });
    const reply = await sendRaw(service, body, { 'Stripe-Signature': header });
    expect(reply.status).toBe(200);
  });
});

describe('an event is refused with 400, and nothing changes,', () => {
  const bad: [string, (body: string, at: number) => Record<string, string>][] = [
    ['without a header', () => ({})],
    ['with an empty header', () => ({ 'Billing-Signature': '' })],
    [
      'with v0 only',
      (body, at) => ({ 'Billing-Signature': signatureOf(body, at).replace('v1', 'v0') }),
    ],
    [
      'with a wrong v1 and a right v0',
      (body, at) => ({
        'Billing-Signature': `t=${at},${wrong},${v1(body, at).replace('v1', 'v0')}`,
      }),
    ],
    ['signed 301 s ago', (body, at) => ({ 'Billing-Signature': signatureOf(body, at - 301) })],
    [
      'signed well over 300 s from now',
      (body, at) => ({ 'Billing-Signature': signatureOf(body, at + 310) }),
    ],
    [
      'signed over other bytes',
      (body, at) => ({ 'Billing-Signature': signatureOf(`${body} `, at) }),
    ],
    [
      'signed with another secret',
      (body, at) => ({ 'Billing-Signature': signatureOf(body, at, 'whsec_other') }),
    ],
    [
      'signed for another time',
      (body, at) => ({ 'Billing-Signature': `t=${at},${v1(body, at - 1)}` }),
    ],
    ['without a time', (body, at) => ({ 'Billing-Signature': v1(body, at) })],
    [
      'with two times',
      (body, at) => ({ 'Billing-Signature': `t=${at - 1},${signatureOf(body, at)}` }),
    ],
    [
      'with a time that is no whole number',
      (body, at) => ({ 'Billing-Signature': `t=${at}.0,v1=${hmac256(`${at}.0.${body}`)}` }),
    ],
    ['with a negative time', (body) => ({ 'Billing-Signature': signatureOf(body, -nowSeconds()) })],
    [
      'with both names of the header',
      (body, at) => ({
        'Billing-Signature': signatureOf(body, at),
        'Stripe-Signature': signatureOf(body, at),
      }),
    ],
    [
      'with the header twice',
      (body, at) => ({
        'Billing-Signature': `${signatureOf(body, at)}, ${signatureOf(body, at)}`,
      }),
    ],
    [
      'with 5,000 wrong v1',
      (_, at) => ({ 'Billing-Signature': `t=${at},${Array(5000).fill(wrong).join(',')}` }),
    ],
    [
      'with characters outside ASCII',
      (body, at) => ({ 'Billing-Signature': signatureOf(body, at).replace(/.$/, 'é') }),
    ],
    [
      'with a v1 that is too short',
      (body, at) => ({ 'Billing-Signature': signatureOf(body, at).slice(0, -1) }),
    ],
    [
      'with a v1 that is too long',
      (body, at) => ({ 'Billing-Signature': `${signatureOf(body, at)}0` }),
    ],
    [
      'in capital letters, which the provider never writes',
      (body, at) => ({
        'Billing-Signature': `t=${at},v1=${hmac256(`${at}.${body}`).toUpperCase()}`,
      }),
    ],
    ['with something else in the header', () => ({ 'Billing-Signature': ',,==,t,v1=,=t=1' })],
  ];
  test.each(bad)('%s', async (_, headersFor) => {
    const fresh = await service.newTenant({ plan: 'FREE' });
    const body = JSON.stringify(cardSubscription(fresh.accountId).checkout('PREMIUM'));
    const startedAt = performance.now();
    const reply = await sendRaw(service, body, headersFor(body, nowSeconds()));
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ error: 'The signature is missing or does not fit' });
    expectBelow(performance.now() - startedAt, 2000);
    expect((await accountOf(fresh)).plan).toBe('FREE');
    expect(await eventsOf(fresh)).toEqual([]);
  });

  test.each([
    ['not JSON', '{"id":'],
    ['not UTF-8', '\ufffd\ufffd'],
    ['an array', '[]'],
    ['null', 'null'],
    ['without an id', '{"type":"x"}'],
    ['without a type', '{"id":"evt_1"}'],
    ['with an id that is a number', '{"id":1,"type":"x"}'],
    ['with an empty id', '{"id":"","type":"x"}'],
    ['with an id that no column holds', '{"id":"a\\u0000b","type":"x"}'],
    ['with an id that no index holds', `{"id":"${'x'.repeat(300_000)}","type":"x"}`],
    [
      'deeply nested in what nobody reads',
      `{"id":"evt_deep","type":"x","more":${'['.repeat(65)}${']'.repeat(65)}}`,
    ],
    [
      'of many values in what nobody reads',
      `{"id":"evt_many","type":"x","more":[${Array(220_000).fill(0)}]}`,
    ],
    [
      'of many fields in what nobody reads',
      `{"id":"evt_wide","type":"x","more":{${Array.from({ length: 201 }, (_, at) => `"k${at}":0`)}}}`,
    ],
    ['deeply nested', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
  ])('when it is signed but %s', async (_, body) => {
    const reply = await sendRaw(service, body);
    expect(reply.status).toBe(400);
  });

  test('when it is larger than 1 MiB, before it is parsed', async () => {
    const body = JSON.stringify({ id: 'evt_large', type: 'x', filler: 'x'.repeat(1024 * 1024) });
    expect((await sendRaw(service, body)).status).toBe(400);
  });

  test('when no signing secret is set, whatever the signature', async () => {
    const { signingSecret: _, ...others } = testBilling;
    const unset = await startTestService({ billing: { ...others, signingSecret: undefined } });
    const body = newBody();
    expect((await sendRaw(unset, body)).status).toBe(400);
    const empty = { 'Billing-Signature': signatureOf(body, nowSeconds(), '') };
    expect((await sendRaw(unset, body, empty)).status).toBe(400);
    await unset.stop();
  });
});

describe('the signature covers the bytes as they were sent', () => {
  test.each([
    ['pretty-printed', (event: object) => JSON.stringify(event, null, 2)],
    ['with escaped slashes', (event: object) => JSON.stringify(event).replaceAll('/', '\\/')],
    ['with \\u00e9 for é', (event: object) => JSON.stringify(event).replaceAll('é', '\\u00e9')],
    ['with CRLF', (event: object) => JSON.stringify(event, null, 1).replaceAll('\n', '\r\n')],
    ['with blanks around it', (event: object) => ` \n${JSON.stringify(event)}\n `],
  ])('%s', async (_, write) => {
    const event = cardSubscription(tenant.accountId).checkout('PREMIUM', undefined, {
      success_url: 'https://example.com/paid',
      customer_details: { name: 'José' },
    });
    expect((await sendRaw(service, write(event))).status).toBe(200);
    expect(await eventsOf(tenant)).toContainEqual(
      expect.objectContaining({ providerEventId: event.id, outcome: 'APPLIED' }),
    );
  });
});

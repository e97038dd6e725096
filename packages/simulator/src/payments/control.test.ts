import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  readEvents,
  signingSecret,
  startPayments,
  subscriptionParams,
  type TestPayments,
} from '../../test/payments-harness.ts';
import type { SentEvent } from './deliveries.ts';

let sim: TestPayments;
beforeAll(async () => {
  sim = await startPayments();
});
beforeEach(async () => {
  sim.received.splice(0);
  await sim.control('DELETE', '/payments/events');
});
afterEach(() => sim.control('PUT', '/payments/mode', {}));
afterAll(() => sim.stop());

const pay = async () => {
  const { url } = await sim.stripe.checkout.sessions.create(subscriptionParams());
  await sim.press(url ?? '', 'pay');
};

const sentEvents = (): Promise<SentEvent[]> => sim.control('GET', '/payments/events');

const receivedTypes = () => sim.received.map(({ body }) => JSON.parse(body).type);
const inOrder = [
  'checkout.session.completed',
  'customer.subscription.updated',
  'invoice.payment_succeeded',
];

test('what was sent is listed, with what was answered', async () => {
  sim.answers.push(new Response('first heard'));
  await pay();
  const events = await sentEvents();
  expect(events.map(({ type }) => type)).toEqual(inOrder);
  expect(events[0]).toMatchObject({
    provider: 'card',
    state: 'delivered',
    url: `${sim.merchantUrl}/card`,
    attempts: [{ status: 200, answer: 'first heard', garbled: false }],
  });
  expect(JSON.parse(events[0]?.body ?? '').id).toBe(events[0]?.id);
});

test('an event that is not accepted is sent again with a new signature', async () => {
  sim.answers.push(new Response('', { status: 500 }), new Response(''), new Response(''));
  await pay();
  await sim.until(async () => (await sentEvents()).every(({ state }) => state === 'delivered'));
  const [first] = await sentEvents();
  expect(first?.attempts.map(({ status }) => status)).toEqual([500, 200]);
  expect(await readEvents(sim)).toHaveLength(4);
});

test('events for an unreachable merchant are delivered once it is reachable', async () => {
  await sim.control('PUT', '/payments', { webhookUrl: 'http://127.0.0.1:9/' });
  await pay();
  const [lost] = await sentEvents();
  expect(lost).toMatchObject({ state: 'waiting', attempts: [{ status: null }] });
  await sim.control('PUT', '/payments', { webhookUrl: `${sim.merchantUrl}/card` });
  await sim.until(() => sim.received.length === 3);
  expect(await readEvents(sim)).toHaveLength(3);
});

describe('the mode', () => {
  test('repeats', async () => {
    await sim.control('PUT', '/payments/mode', { repeat: 2 });
    await pay();
    expect(receivedTypes()).toEqual(inOrder.flatMap((type) => [type, type, type]));
  });

  test('reorders', async () => {
    await sim.control('PUT', '/payments/mode', { reorder: true });
    await pay();
    expect(receivedTypes()).toEqual(inOrder.toReversed());
  });

  test('delays, while the browser goes on', async () => {
    await sim.control('PUT', '/payments/mode', { delayMs: 2000 });
    await pay();
    expect(sim.received).toEqual([]);
    await sim.until(() => sim.received.length === 3);
  });

  test('garbles: no signature is valid until the mode ends', async () => {
    await sim.control('PUT', '/payments/mode', { garble: true });
    sim.answers.push(...inOrder.map(() => new Response('', { status: 400 })));
    await pay();
    await expect(readEvents(sim)).rejects.toThrow('signature');
    await sim.control('PUT', '/payments/mode', {});
    sim.received.splice(0);
    await sim.until(() => sim.received.length === 3);
    expect(await readEvents(sim)).toHaveLength(3);
  });
});

describe('a replay', () => {
  test('sends copies of one event at once, freshly signed', async () => {
    await pay();
    const [first] = await sentEvents();
    sim.received.splice(0);
    const replayed = await sim.control('POST', '/payments/replay', {
      eventId: first?.id,
      times: 20,
    });
    expect(replayed.attempts).toHaveLength(21);
    const events = await readEvents(sim);
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([first?.id ?? '']));
    expect(events).toHaveLength(20);
  });

  test('can garble them', async () => {
    await pay();
    const [first] = await sentEvents();
    sim.received.splice(0);
    await sim.control('POST', '/payments/replay', { eventId: first?.id, garble: true });
    expect(sim.received[0]?.body).not.toBe(first?.body);
    await expect(readEvents(sim)).rejects.toThrow('signature');
  });

  test('of an event that was never sent is refused', async () => {
    const asked = sim.control('POST', '/payments/replay', { eventId: 'evt_none' });
    await expect(asked).rejects.toThrow('404');
  });
});

test('nonsense is refused and changes nothing', async () => {
  for (const [path, body] of [
    ['/payments', { webhookUrl: 'file:///etc/passwd' }],
    ['/payments', { colour: 'green' }],
    ['/payments/mode', { repeat: -1 }],
    ['/payments/mode', { garble: 'yes' }],
  ]) {
    await expect(sim.control('PUT', String(path), body)).rejects.toThrow('400');
  }
  const shown = await sim.control('GET', '/payments');
  expect(shown.webhookUrl).toBe(`${sim.merchantUrl}/card`);
  expect(JSON.stringify(shown)).not.toContain(signingSecret);
});

describe('the outbox', () => {
  const mail = { from: 'us@example.org', to: 'you@example.org', subject: 'Hello', text: 'A\nB' };
  const look = async (path: string) =>
    (await fetch(`${sim.url}/__sim/outbox${path}`, { headers: { Accept: 'text/html' } })).text();
  beforeEach(() => sim.control('DELETE', '/outbox'));

  test('keeps what is sent, newest first, as JSON and as a page', async () => {
    expect(await look('')).toContain('No mail yet');
    const first = await sim.control('POST', '/outbox', mail);
    const second = await sim.control('POST', '/outbox', { ...mail, subject: 'Again' });
    const kept = await sim.control('GET', '/outbox');
    expect(kept.map(({ id }: { id: number }) => id)).toEqual([second.id, first.id]);
    expect(await sim.control('GET', `/outbox/${first.id}`)).toMatchObject(mail);
    expect(await look('')).toContain(`href="/__sim/outbox/${first.id}"`);
    expect(await look(`/${first.id}`)).toContain('you@example.org');
  });

  test('shows foreign text as text', async () => {
    const hostile = '<script>alert(1)</script>';
    const { id } = await sim.control('POST', '/outbox', {
      ...mail,
      subject: hostile,
      text: hostile,
    });
    for (const path of ['', `/${id}`]) expect(await look(path)).not.toContain('<script');
  });

  test('refuses what is not a mail', async () => {
    await expect(sim.control('POST', '/outbox', { to: 'x' })).rejects.toThrow('400');
    await expect(sim.control('GET', '/outbox/999999')).rejects.toThrow('404');
  });
});

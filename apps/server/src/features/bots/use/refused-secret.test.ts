import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  authorize,
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../../test/harness/verification/newcomer.ts';
import { createBreaker } from '../../../platform/client/breaker.ts';

let fixture: VerificationFixture;
beforeAll(async () => {
  // Ten refusals are what a thousand times as many are to the real one.
  fixture = await startVerificationFixture({
    breaker: createBreaker({ limit: 10, accountShare: 5 }),
  });
});
afterAll(() => fixture.stop());

const botOf = async ({ owner }: VerificationServer) =>
  (await owner.call('GET', '/api/v1/bots')).body.data[0];

const tokenCalls = async () =>
  (await fixture.simulator.readLog()).filter(({ path }) => path.endsWith('/oauth2/token'));

/** A server whose bot has another client secret than the platform knows. */
const newDoorWithWrongSecret = async (): Promise<VerificationServer> => {
  const server = await newVerificationServer(fixture);
  const { clientId } = await botOf(server);
  await fixture.simulator.control('PUT', `/bots/${clientId}`, { clientSecret: 'right' });
  return server;
};

const arriveAt = async (server: VerificationServer) => {
  const browser = fixture.newBrowser();
  const { back } = await authorize(browser, server, randomPlatformId());
  return () => browser.get(back);
};

test('a refused client secret is sent once, until its owner changes it', async () => {
  const server = await newDoorWithWrongSecret();
  const arrivals = [];
  for (let count = 0; count < 4; count++) arrivals.push(await arriveAt(server));
  await fixture.simulator.control('DELETE', '/log');
  for (const comeBack of arrivals) {
    const page = await comeBack();
    expect(page.status).toBe(503);
    expect(page.text).toContain('owner can fix this');
  }
  expect(await tokenCalls()).toHaveLength(1);
  expect((await fixture.newBrowser().get(`/verify/${server.id}`)).status).toBe(503);

  const { id, trouble, isActive } = await botOf(server);
  expect(trouble).toContain('client secret');
  expect(isActive).toBe(true);
  const put = (body: object) => server.owner.call('PUT', `/api/v1/bots/${id}`, { body });
  expect((await put({ name: 'Renamed' })).body.data.trouble).toBe(trouble);
  const same = await put({ clientSecret: 'client-secret-value' });
  expect(same.body.data.trouble).toBe(trouble);
  expect((await put({ clientSecret: 'right' })).body.data.trouble).toBeNull();

  await walkIn(fixture.newBrowser(), server, randomPlatformId());
  const { body } = await server.owner.call('GET', `/api/v1/servers/${server.id}/members`);
  expect(body.pagination.total).toBe(1);
  const entries = (await server.owner.call('GET', '/api/v1/audit?limit=100')).body.data;
  const actions = entries.map(({ action }: { action: string }) => action);
  expect(actions.filter((action: string) => action === 'bot.secret_refused')).toHaveLength(1);
});

test('one account whose calls are refused is stopped alone', async () => {
  const [noisy, calm] = [
    await newVerificationServer(fixture),
    await newVerificationServer(fixture),
  ];
  const arrivals = [];
  for (let count = 0; count < 15; count++) arrivals.push(await arriveAt(noisy));
  const match = { method: 'POST', route: '/oauth2/token' };
  const refusal = { action: 'status', status: 403, body: { message: 'Forbidden', code: 0 } };
  await fixture.simulator.control('POST', '/faults', { match, times: 1000, ...refusal });
  await fixture.simulator.control('DELETE', '/log');
  await Promise.all(arrivals.map((comeBack) => comeBack()));
  expect((await tokenCalls()).length).toBeLessThanOrEqual(5);
  await fixture.simulator.control('DELETE', '/faults');

  await walkIn(fixture.newBrowser(), calm, randomPlatformId());
  const { body } = await calm.owner.call('GET', `/api/v1/servers/${calm.id}/members`);
  expect(body.pagination.total).toBe(1);
  const page = await (await arriveAt(noisy))();
  expect(page.status).toBe(503);
});

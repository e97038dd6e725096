import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomPlatformId } from '../../../test/harness.ts';
import { authorize, newDoor, type TestDoor, walkIn } from '../../../test/newcomer.ts';
import {
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';
import { createBreaker } from '../../platform/breaker.ts';

setDefaultTimeout(30_000);

let scene: VerificationScene;
beforeAll(async () => {
  // Ten refusals are what a thousand times as many are to the real one.
  scene = await startVerificationScene({ breaker: createBreaker({ limit: 10, accountShare: 5 }) });
});
afterAll(() => scene.stop());

const botOf = async ({ owner }: TestDoor) => (await owner.call('GET', '/api/v1/bots')).body.data[0];

const tokenCalls = async () =>
  (await scene.simulator.readLog()).filter(({ path }) => path.endsWith('/oauth2/token'));

/** A server whose bot has another client secret than the platform knows. */
const newDoorWithWrongSecret = async (): Promise<TestDoor> => {
  const door = await newDoor(scene);
  const { clientId } = await botOf(door);
  await scene.simulator.control('PUT', `/bots/${clientId}`, { clientSecret: 'right' });
  return door;
};

const arriveAt = async (door: TestDoor) => {
  const browser = scene.newBrowser();
  const { back } = await authorize(browser, door, randomPlatformId());
  return () => browser.get(back);
};

test('a refused client secret is sent once, until its owner changes it', async () => {
  const door = await newDoorWithWrongSecret();
  const arrivals = [];
  for (let count = 0; count < 4; count++) arrivals.push(await arriveAt(door));
  await scene.simulator.control('DELETE', '/log');
  for (const comeBack of arrivals) {
    const page = await comeBack();
    expect(page.status).toBe(503);
    expect(page.text).toContain('owner can mend that');
  }
  expect(await tokenCalls()).toHaveLength(1);
  expect((await scene.newBrowser().get(`/verify/${door.id}`)).status).toBe(503);

  const { id, trouble, isActive } = await botOf(door);
  expect(trouble).toContain('client secret');
  expect(isActive).toBe(true);
  const put = (body: object) => door.owner.call('PUT', `/api/v1/bots/${id}`, { body });
  expect((await put({ name: 'Renamed' })).body.data.trouble).toBe(trouble);
  const same = await put({ clientSecret: 'client-secret-value' });
  expect(same.body.data.trouble).toBe(trouble);
  expect((await put({ clientSecret: 'right' })).body.data.trouble).toBeNull();

  await walkIn(scene.newBrowser(), door, randomPlatformId());
  const { body } = await door.owner.call('GET', `/api/v1/servers/${door.id}/members`);
  expect(body.pagination.total).toBe(1);
  const entries = (await door.owner.call('GET', '/api/v1/audit?limit=100')).body.data;
  const actions = entries.map(({ action }: { action: string }) => action);
  expect(actions.filter((action: string) => action === 'bot.secret_refused')).toHaveLength(1);
});

test('one account whose calls are refused is stopped alone', async () => {
  const [noisy, calm] = [await newDoor(scene), await newDoor(scene)];
  const arrivals = [];
  for (let count = 0; count < 15; count++) arrivals.push(await arriveAt(noisy));
  const match = { method: 'POST', route: '/oauth2/token' };
  const refusal = { action: 'status', status: 403, body: { message: 'Forbidden', code: 0 } };
  await scene.simulator.control('POST', '/faults', { match, times: 1000, ...refusal });
  await scene.simulator.control('DELETE', '/log');
  await Promise.all(arrivals.map((comeBack) => comeBack()));
  expect((await tokenCalls()).length).toBeLessThanOrEqual(5);
  await scene.simulator.control('DELETE', '/faults');

  await walkIn(scene.newBrowser(), calm, randomPlatformId());
  const { body } = await calm.owner.call('GET', `/api/v1/servers/${calm.id}/members`);
  expect(body.pagination.total).toBe(1);
  const page = await (await arriveAt(noisy))();
  expect(page.status).toBe(503);
});

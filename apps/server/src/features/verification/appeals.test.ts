import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomPlatformId, type Tenant } from '../../../test/harness.ts';
import { newDoor, walkIn } from '../../../test/newcomer.ts';
import {
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';

let scene: VerificationScene;
beforeAll(async () => {
  scene = await startVerificationScene();
}, 60_000);
afterAll(() => scene.stop(), 30_000);

const call = async (owner: Tenant, method: string, path: string, body?: unknown) => {
  const response = await scene.app.request(
    `/api/v1${path}`,
    {
      method,
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    },
    { peerAddress: () => '127.0.0.1' },
  );
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  return { status: response.status, body: (await response.json()) as any };
};

const turnedAway = async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, { minAccountAgeDays: 0, firewallEnabled: true });
  const rule = { body: { type: 'COUNTRY', value: 'DE' } };
  await door.owner.call('POST', `/api/v1/servers/${door.id}/firewall`, rule);
  const browser = scene.newBrowser();
  expect((await walkIn(browser, door, person)).status).toBe(403);
  const appeal = (message: string) => browser.post(`/verify/${door.id}/appeal`, { message });
  return { person, door, browser, appeal };
};

test('somebody turned away leaves one message, and the owner lets them in with it', async () => {
  const { person, door, browser, appeal } = await turnedAway();
  for (const message of ['', '   ', 'x'.repeat(501)]) {
    const refused = await appeal(message);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('between 1 and 500 characters');
  }
  const message = 'Please <b>let</b> me in 🙂\r\nI live there.';
  expect((await appeal(message)).status).toBe(303);
  await appeal('and another one');
  const page = await browser.get(`/verify/${door.id}/check`);
  expect(page.text).toContain('The owner has your message');
  expect(page.text).not.toContain('name="message"');

  const list = await call(door.owner, 'GET', `/servers/${door.id}/appeals`);
  expect(list.body.pagination.total).toBe(1);
  const [record] = list.body.data;
  expect(record).toMatchObject({
    platformId: person,
    reason: 'FIREWALL',
    message: 'Please <b>let</b> me in 🙂\nI live there.',
    status: 'OPEN',
    decidedAt: null,
  });

  const path = `/servers/${door.id}/appeals/${record.id}`;
  const accepted = await call(door.owner, 'POST', path, { decision: 'ACCEPT' });
  expect(accepted.status).toBe(200);
  expect(accepted.body.data.status).toBe('ACCEPTED');
  expect((await call(door.owner, 'POST', path, { decision: 'REJECT' })).status).toBe(409);
  const rules = await door.owner.call('GET', `/api/v1/servers/${door.id}/whitelist`);
  expect(rules.body.data).toMatchObject([{ type: 'USER_ID', value: person, note: 'Appeal' }]);
  const audit = await door.owner.call('GET', '/api/v1/audit');
  const actions = audit.body.data.map(({ action }: { action: string }) => action);
  expect(actions.slice(0, 2)).toEqual(['appeal.accept', 'whitelistRule.create']);
  expect((await walkIn(scene.newBrowser(), door, person)).text).toContain('You are verified');
}, 30_000);

test('an appeal that is turned down changes nothing, and a new one can be left', async () => {
  const { door, appeal } = await turnedAway();
  await appeal('please');
  const [record] = (await call(door.owner, 'GET', `/servers/${door.id}/appeals`)).body.data;
  const path = `/servers/${door.id}/appeals/${record.id}`;
  const stranger = await scene.service.newTenant();
  expect((await call(stranger, 'POST', path, { decision: 'ACCEPT' })).status).toBe(404);
  const other = `/servers/${door.id}/appeals/${crypto.randomUUID()}`;
  expect((await call(door.owner, 'POST', other, { decision: 'ACCEPT' })).status).toBe(404);
  expect((await call(door.owner, 'POST', path, { decision: 'REJECT' })).status).toBe(200);
  const rules = await door.owner.call('GET', `/api/v1/servers/${door.id}/whitelist`);
  expect(rules.body.data).toEqual([]);
  await appeal('please, please');
  const after = await call(door.owner, 'GET', `/servers/${door.id}/appeals`);
  expect(after.body.data.map(({ status }: { status: string }) => status)).toEqual([
    'OPEN',
    'REJECTED',
  ]);
}, 30_000);

test('accepting works also where the person has a rule already', async () => {
  const { person, door, appeal } = await turnedAway();
  await appeal('please');
  const rule = { body: { type: 'USER_ID', value: person } };
  await door.owner.call('POST', `/api/v1/servers/${door.id}/whitelist`, rule);
  const [record] = (await call(door.owner, 'GET', `/servers/${door.id}/appeals`)).body.data;
  const path = `/servers/${door.id}/appeals/${record.id}`;
  expect((await call(door.owner, 'POST', path, { decision: 'ACCEPT' })).status).toBe(200);
}, 30_000);

test('only who was turned away in this browser can appeal', async () => {
  const { door } = await turnedAway();
  const reply = await scene.newBrowser().post(`/verify/${door.id}/appeal`, { message: 'hello' });
  expect(reply.status).toBe(400);
  const list = await call(door.owner, 'GET', `/servers/${door.id}/appeals`);
  expect(list.body.data).toEqual([]);
}, 30_000);

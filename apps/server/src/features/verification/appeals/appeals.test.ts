import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomPlatformId, type Tenant } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../../test/harness/verification/newcomer.ts';

let fixture: VerificationFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture();
});
afterAll(() => fixture.stop());

const call = async (owner: Tenant, method: string, path: string, body?: unknown) => {
  const response = await fixture.app.request(
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

const blockNewcomer = async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {
    minAccountAgeDays: 0,
    firewallEnabled: true,
  });
  const rule = { body: { type: 'COUNTRY', value: 'DE' } };
  await server.owner.call('POST', `/api/v1/servers/${server.id}/firewall`, rule);
  const browser = fixture.newBrowser();
  expect((await walkIn(browser, server, person)).status).toBe(403);
  const appeal = (message: string) => browser.post(`/verify/${server.id}/appeal`, { message });
  return { person, server, browser, appeal };
};

test('a blocked person sends one appeal, and is verified after the owner accepts it', async () => {
  const { person, server, browser, appeal } = await blockNewcomer();
  for (const message of ['', '   ', 'x'.repeat(501)]) {
    const refused = await appeal(message);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('between 1 and 500 characters');
  }
  const message = 'Please <b>let</b> me in 🙂\r\nI live there.';
  expect((await appeal(message)).status).toBe(303);
  const { accountId } = server.owner;
  expect(fixture.service.changes).toContainEqual({ accountId, topic: `appeals:${server.id}` });
  await appeal('and another one');
  const page = await browser.get(`/verify/${server.id}/check`);
  expect(page.text).toContain('The owner has your message');
  expect(page.text).not.toContain('name="message"');

  const list = await call(server.owner, 'GET', `/servers/${server.id}/appeals`);
  expect(list.body.pagination.total).toBe(1);
  const [record] = list.body.data;
  expect(record).toMatchObject({
    platformId: person,
    reason: 'FIREWALL',
    message: 'Please <b>let</b> me in 🙂\nI live there.',
    status: 'OPEN',
    decidedAt: null,
  });

  const alerts = await server.owner.call('GET', '/api/v1/alerts');
  expect(alerts.body.data).toMatchObject([
    { kind: 'APPEAL_OPENED', serverId: server.id, title: 'An appeal waits for you at Harbour' },
  ]);
  const [stored] = await fixture.service.db.$client`
    select to_jsonb(alerts)::text as row from alerts where server_id = ${server.id}`;
  expect(stored.row).toContain('"facts": {}');
  for (const personal of [person, record.username]) expect(stored.row).not.toContain(personal);
  const path = `/servers/${server.id}/appeals/${record.id}`;
  const accepted = await call(server.owner, 'POST', path, { decision: 'ACCEPT' });
  expect(accepted.status).toBe(200);
  expect(accepted.body.data.status).toBe('ACCEPTED');
  expect((await call(server.owner, 'POST', path, { decision: 'REJECT' })).status).toBe(409);
  const rules = await server.owner.call('GET', `/api/v1/servers/${server.id}/whitelist`);
  expect(rules.body.data).toMatchObject([{ type: 'USER_ID', value: person, note: 'Appeal' }]);
  const audit = await server.owner.call('GET', '/api/v1/audit');
  const actions = audit.body.data.map(({ action }: { action: string }) => action);
  expect(actions.slice(0, 2)).toEqual(['appeal.accept', 'whitelistRule.create']);
  expect((await walkIn(fixture.newBrowser(), server, person)).text).toContain('You are verified');
});

test('a rejected appeal changes nothing, and a new one can be sent', async () => {
  const { server, appeal } = await blockNewcomer();
  await appeal('please');
  const [record] = (await call(server.owner, 'GET', `/servers/${server.id}/appeals`)).body.data;
  const path = `/servers/${server.id}/appeals/${record.id}`;
  const stranger = await fixture.service.newTenant();
  expect((await call(stranger, 'POST', path, { decision: 'ACCEPT' })).status).toBe(404);
  const other = `/servers/${server.id}/appeals/${crypto.randomUUID()}`;
  expect((await call(server.owner, 'POST', other, { decision: 'ACCEPT' })).status).toBe(404);
  expect((await call(server.owner, 'POST', path, { decision: 'REJECT' })).status).toBe(200);
  const rules = await server.owner.call('GET', `/api/v1/servers/${server.id}/whitelist`);
  expect(rules.body.data).toEqual([]);
  await appeal('please, please');
  const after = await call(server.owner, 'GET', `/servers/${server.id}/appeals`);
  expect(after.body.data.map(({ status }: { status: string }) => status)).toEqual([
    'OPEN',
    'REJECTED',
  ]);
});

test('an appeal can be accepted even if the person has a rule already', async () => {
  const { person, server, appeal } = await blockNewcomer();
  await appeal('please');
  const rule = { body: { type: 'USER_ID', value: person } };
  await server.owner.call('POST', `/api/v1/servers/${server.id}/whitelist`, rule);
  const [record] = (await call(server.owner, 'GET', `/servers/${server.id}/appeals`)).body.data;
  const path = `/servers/${server.id}/appeals/${record.id}`;
  expect((await call(server.owner, 'POST', path, { decision: 'ACCEPT' })).status).toBe(200);
});

test('only a person who was blocked in this browser can appeal', async () => {
  const { server } = await blockNewcomer();
  const reply = await fixture
    .newBrowser()
    .post(`/verify/${server.id}/appeal`, { message: 'hello' });
  expect(reply.status).toBe(400);
  const list = await call(server.owner, 'GET', `/servers/${server.id}/appeals`);
  expect(list.body.data).toEqual([]);
});

const decide = async ({ owner, id }: VerificationServer, decision: 'ACCEPT' | 'REJECT') => {
  const [record] = (await call(owner, 'GET', `/servers/${id}/appeals`)).body.data;
  const path = `/servers/${id}/appeals/${record.id}`;
  expect((await call(owner, 'POST', path, { decision })).status).toBe(200);
};

test('a person who comes back sees what the owner decided, also when the attempt is forgotten', async () => {
  const { person, server, browser, appeal } = await blockNewcomer();
  const shown = async (page = '') => (await browser.get(`/verify/${server.id}${page}`)).text;
  expect(await shown()).toContain('Your last attempt was refused.');
  await appeal('please');
  expect(await shown('/check')).toContain('Waiting for the owner');
  expect(await shown()).toContain('The owner has your message.');

  await decide(server, 'REJECT');
  expect(await shown('/check')).toContain('They read your message and do not let this account in.');
  expect(await shown()).toContain('The owner has declined your appeal.');
  await appeal('please, please');
  expect(await shown('/check')).toContain('Waiting for the owner');

  await decide(server, 'ACCEPT');
  const accepted = await browser.get(`/verify/${server.id}/check`);
  expect(accepted.status).toBe(200);
  expect(accepted.text).toContain('<bdi>The owner lets you in</bdi>');
  expect(accepted.text).not.toContain('cannot come in');
  expect(await shown()).toContain('The owner lets you in.');
  const forget = () => fixture.db.$client`
    delete from pending_verifications where platform_id = ${person}`;
  await forget();
  expect(await shown()).toContain('The owner lets you in.');
  const stranger = await fixture.newBrowser().get(`/verify/${server.id}`);
  expect(stranger.text).not.toContain('class="note');

  await walkIn(browser, server, person);
  expect(await shown()).toContain('You are verified here.');
  await forget();
  expect(await shown()).toContain('You are verified here.');
});

test('a person who was accepted and is blocked for another reason is told so', async () => {
  const { person, server, browser, appeal } = await blockNewcomer();
  await appeal('please');
  await decide(server, 'ACCEPT');
  const entry = { body: { platformId: person } };
  await server.owner.call('POST', `/api/v1/servers/${server.id}/blacklist`, entry);
  const page = await walkIn(browser, server, person);
  expect(page.status).toBe(403);
  expect(page.text).toContain('does not let this account in');
  expect(page.text).toContain('name="message"');
  const first = await browser.get(`/verify/${server.id}`);
  expect(first.text).toContain('Your last attempt was refused.');
});

test('the browser of an appeal is recognized for a month', async () => {
  const { appeal } = await blockNewcomer();
  const [cookie] = (await appeal('please')).headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-browser=.*Max-Age=2592000;/);
});

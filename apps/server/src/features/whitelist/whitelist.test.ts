import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
}, 120_000);
afterAll(() => service.stop());

const rulesOf = (serverId: string, list = 'whitelist') => `/api/v1/servers/${serverId}/${list}`;
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

describe('whitelist rules', () => {
  let owner: Tenant;
  let serverId: string;
  let path: string;
  beforeAll(async () => {
    owner = await service.newTenant();
    serverId = await createServer(owner);
    path = rulesOf(serverId);
  }, 120_000);
  const add = (body: object) => owner.call('POST', path, { body });

  test('a new rule is answered, listed and audited', async () => {
    const created = await add({ type: 'COUNTRY', value: 'de', note: 'staff 🧭', serverId: 'x' });
    expect(created.status).toBe(201);
    expect(created.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      serverId,
      type: 'COUNTRY',
      value: 'DE',
      note: 'staff 🧭',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const listed = await owner.call('GET', path);
    expect(Object.keys(listed.body)).toEqual(['data']);
    expect(listed.body.data).toContainEqual(created.body.data);
    const [entry] = (await owner.call('GET', '/api/v1/audit')).body.data;
    expect(entry).toMatchObject({
      action: 'whitelistRule.create',
      subject: { type: 'whitelistRule', id: created.body.data.id },
    });
  });

  test.each([
    ['IP', '203.0.113.7/24', '203.0.113.0/24', '203.0.113.200/24'],
    ['IP', '::ffff:198.51.100.9', '198.51.100.9', '::FFFF:C633:6409/128'],
    ['IP', '2001:DB8::0:1', '2001:db8::1', '2001:0db8:0:0::1'],
    ['IP', '2001:db8::1/64', '2001:db8::/64', '2001:db8:0:0:ffff::/64'],
    ['COUNTRY', 'fr', 'FR', 'Fr'],
    ['ASN', 'as64500', '64500', '0064500'],
    ['FINGERPRINT', 'aB3_-xYz', 'aB3_-xYz', 'aB3_-xYz'],
    ['USER_ID', '0042', '42', '42'],
    ['SERVER_ID', '18446744073709551615', '18446744073709551615', '18446744073709551615'],
    ['REGION', 'us-ca', 'US-CA', ' US-CA '],
  ])('%s %s is stored as %s, and %s is the same rule', async (type, value, canonical, same) => {
    const created = await add({ type, value });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({ value: canonical, note: null });
    expect((await add({ type, value: same })).status).toBe(409);
  });

  test.each([
    ['type', { type: 'EMAIL', value: 'x@example.com' }],
    ['type', { type: 'country', value: 'DE' }],
    ['type', { value: 'DE' }],
    ['value', { type: 'IP' }],
    ['value', { type: 'IP', value: '' }],
    ['value', { type: 'IP', value: '203.0.113.256' }],
    ['value', { type: 'IP', value: '1.2.3.4::' }],
    ['value', { type: 'COUNTRY', value: 'UK' }],
    ['value', { type: 'ASN', value: 64500 }],
    ['value', { type: 'FINGERPRINT', value: 'x'.repeat(129) }],
    ['value', { type: 'REGION', value: 'x'.repeat(65) }],
    ['note', { type: 'ASN', value: '7', note: 'x'.repeat(501) }],
  ])('is refused on %s for %j', async (field, body) => {
    const reply = await add(body);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('of 20 equal rules at once one is created, of 10 deletions of it one succeeds', async () => {
    const body = { type: 'ASN', value: '64999' };
    const made = await Promise.all(Array.from({ length: 20 }, () => add(body)));
    expect(statusesOf(made)).toEqual([201, ...Array(19).fill(409)]);
    const id = made.find(({ status }) => status === 201)?.body.data.id;
    const deletion = () => owner.call('DELETE', `${path}?ruleId=${id}`);
    const gone = await Promise.all(Array.from({ length: 10 }, deletion));
    expect(statusesOf(gone)).toEqual([200, ...Array(9).fill(404)]);
    expect(gone.find(({ status }) => status === 200)?.body).toEqual({
      data: { id, deleted: true },
    });
  });

  test.each(['', '?ruleId=', '?ruleId=x'])(
    'a deletion with the query %p is refused',
    async (query) => {
      const reply = await owner.call('DELETE', path + query);
      expect(reply.status).toBe(400);
      expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['ruleId']);
    },
  );

  test('a firewall rule of the same value is another rule, and each list deletes its own', async () => {
    const body = { type: 'IP', value: '198.51.100.77' };
    const firewall = rulesOf(serverId, 'firewall');
    const white = (await add(body)).body.data.id;
    const fire = await owner.call('POST', firewall, { body });
    expect(fire.status).toBe(201);
    expect((await owner.call('DELETE', `${path}?ruleId=${fire.body.data.id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `${firewall}?ruleId=${white}`)).status).toBe(404);
    expect((await owner.call('DELETE', `${path}?ruleId=${white}`)).status).toBe(200);
    expect((await owner.call('GET', firewall)).body.data).toEqual([fire.body.data]);
  });

  test('a rule of another own server is neither listed nor deleted through this one', async () => {
    const elsewhere = rulesOf(await createServer(owner));
    const body = { type: 'ASN', value: '1' };
    const { id } = (await owner.call('POST', elsewhere, { body })).body.data;
    expect((await add(body)).status).toBe(201);
    expect((await owner.call('DELETE', `${path}?ruleId=${id}`)).status).toBe(404);
    expect((await owner.call('GET', elsewhere)).body.data).toHaveLength(1);
  });

  test('to another account the list does not exist, as for a server that never existed', async () => {
    const stranger = await service.newTenant();
    const ruleId = (await add({ type: 'ASN', value: '2' })).body.data.id;
    const body = { type: 'ASN', value: '3' };
    for (const [method, query, options] of [
      ['GET', '', {}],
      ['POST', '', { body }],
      ['DELETE', `?ruleId=${ruleId}`, {}],
    ] as const) {
      const there = await stranger.call(method, path + query, options);
      const nowhere = await stranger.call(method, rulesOf(crypto.randomUUID()) + query, options);
      expect([there.status, nowhere.status]).toEqual([404, 404]);
      expect(there.text).toBe(nowhere.text);
    }
  });
});

test('the whitelist is in every plan', async () => {
  const owner = await service.newTenant({ plan: 'FREE' });
  const path = rulesOf(await createServer(owner));
  const created = await owner.call('POST', path, { body: { type: 'USER_ID', value: '42' } });
  expect(created.status).toBe(201);
  expect((await owner.call('GET', path)).body.data).toEqual([created.body.data]);
  const { id } = created.body.data;
  expect((await owner.call('DELETE', `${path}?ruleId=${id}`)).status).toBe(200);
});

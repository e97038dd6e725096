import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

describe.each(['firewall', 'whitelist'] as const)('a rule of the %s', (list) => {
  let owner: Tenant;
  let serverId: string;
  let path: string;
  const pathOf = (id: string, name: string = list) => `/api/v1/servers/${id}/${name}`;
  beforeAll(async () => {
    owner = await service.newTenant();
    serverId = await createServer(owner);
    path = pathOf(serverId);
  });
  const add = (body: object) => owner.call('POST', path, { body });

  test('is answered, listed and audited', async () => {
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
      action: `${list}Rule.create`,
      subject: { type: `${list}Rule`, id: created.body.data.id },
    });
  });

  test.each([
    ['IP', '203.0.113.7/24', '203.0.113.0/24', '203.0.113.200/24'],
    ['IP', '::ffff:198.51.100.9', '198.51.100.9', '::FFFF:C633:6409/128'],
    ['IP', '2001:db8::1/64', '2001:db8::/64', '2001:db8:0:0:ffff::/64'],
    ['IP', '2001:DB8:0:0:0:0:0:1', '2001:db8::1', '2001:db8::0001'],
    ['COUNTRY', 'fr', 'FR', 'Fr'],
    ['ASN', 'AS64500', '64500', '0064500'],
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
    ['value', { type: 'IP', value: '203.0.113.256' }],
    ['value', { type: 'IP', value: '10.0.0.0/33' }],
    ['value', { type: 'IP', value: '1.2.3.4::' }],
    ['value', { type: 'COUNTRY', value: 'UK' }],
    ['value', { type: 'COUNTRY', value: 'XX' }],
    ['value', { type: 'ASN', value: 64500 }],
    ['value', { type: 'ASN', value: '4294967296' }],
    ['value', { type: 'FINGERPRINT', value: 'short' }],
    ['value', { type: 'FINGERPRINT', value: 'x'.repeat(129) }],
    ['value', { type: 'USER_ID', value: '18446744073709551616' }],
    ['value', { type: 'REGION', value: 'x' }],
    ['value', { type: 'REGION', value: 'x'.repeat(65) }],
    ['note', { type: 'ASN', value: '7', note: 'x'.repeat(501) }],
  ])('is refused on %s for %j', async (field, body) => {
    const reply = await add(body);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('is created once of 20 equal ones at once, and deleted once of 10 times', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => add({ type: 'ASN', value: '64999' })),
    );
    expect(statusesOf(made)).toEqual([201, ...Array(19).fill(409)]);
    const id = made.find(({ status }) => status === 201)?.body.data.id;
    const deletion = () => owner.call('DELETE', `${path}?ruleId=${id}`);
    const gone = await Promise.all(Array.from({ length: 10 }, deletion));
    expect(statusesOf(gone)).toEqual([200, ...Array(9).fill(404)]);
    expect(gone.find(({ status }) => status === 200)?.body).toEqual({
      data: { id, deleted: true },
    });
  });

  test.each(['', '?ruleId=', '?ruleId=x'])('is not deleted by the query %p', async (query) => {
    const reply = await owner.call('DELETE', path + query);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['ruleId']);
  });

  test('is another than one of the same value of the other list, which does not delete it', async () => {
    const body = { type: 'IP', value: '198.51.100.77' };
    const other = pathOf(serverId, list === 'firewall' ? 'whitelist' : 'firewall');
    const { id } = (await add(body)).body.data;
    const theirs = await owner.call('POST', other, { body });
    expect(theirs.status).toBe(201);
    expect((await owner.call('DELETE', `${other}?ruleId=${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `${path}?ruleId=${id}`)).status).toBe(200);
    expect((await owner.call('GET', other)).body.data).toContainEqual(theirs.body.data);
  });

  test('of another own server is neither listed nor deleted through this one', async () => {
    const elsewhere = pathOf(await createServer(owner));
    const body = { type: 'ASN', value: '1' };
    const { id } = (await owner.call('POST', elsewhere, { body })).body.data;
    expect((await add(body)).status).toBe(201);
    expect((await owner.call('DELETE', `${path}?ruleId=${id}`)).status).toBe(404);
    expect((await owner.call('GET', elsewhere)).body.data).toHaveLength(1);
  });
});

test('a plan without firewall may list and delete its rules, not add them, and has the whitelist', async () => {
  const owner = await service.newTenant({ plan: 'FREE' });
  const path = `/api/v1/servers/${await createServer(owner)}`;
  const body = { type: 'ASN', value: '1' };
  expect((await owner.call('GET', `${path}/firewall`)).status).toBe(200);
  const refused = await owner.call('POST', `${path}/firewall`, { body });
  expect(refused.status).toBe(403);
  expect(refused.body.error).toContain('FREE');
  const foreign = `/api/v1/servers/${crypto.randomUUID()}/firewall`;
  expect((await owner.call('POST', foreign, { body })).status).toBe(404);
  expect((await owner.call('POST', `${path}/whitelist`, { body })).status).toBe(201);
});

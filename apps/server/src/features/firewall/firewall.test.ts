import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const rulesOf = (serverId: string) => `/api/v1/servers/${serverId}/firewall`;

describe('firewall rules', () => {
  let owner: Tenant;
  let path: string;
  beforeAll(async () => {
    owner = await service.newTenant();
    path = rulesOf(await createServer(owner));
  });

  test('a new rule is answered, listed and audited', async () => {
    const created = await owner.call('POST', path, {
      body: { type: 'COUNTRY', value: 'de', note: 'raid' },
    });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({ type: 'COUNTRY', value: 'DE', note: 'raid' });
    const listed = await owner.call('GET', path);
    expect(listed.body.data).toContainEqual(created.body.data);
    const audit = await owner.call('GET', '/api/v1/audit');
    expect(audit.body.data[0]).toMatchObject({
      action: 'firewallRule.create',
      subject: { type: 'firewallRule', id: created.body.data.id },
    });
  });

  test.each([
    ['IP', '203.0.113.7/24', '203.0.113.0/24', '203.0.113.200/24'],
    ['IP', '::ffff:198.51.100.9', '198.51.100.9', '198.51.100.9/32'],
    ['IP', '2001:DB8:0:0:0:0:0:1', '2001:db8::1', '2001:db8::0001'],
    ['ASN', 'AS64500', '64500', '0064500'],
    ['REGION', 'us-ca', 'US-CA', ' US-CA '],
    ['USER_ID', '0042', '42', '42'],
  ])('%s %s is stored as %s, and %s is the same rule', async (type, value, canonical, same) => {
    const created = await owner.call('POST', path, { body: { type, value } });
    expect(created.body.data.value).toBe(canonical);
    expect((await owner.call('POST', path, { body: { type, value: same } })).status).toBe(409);
  });

  test('of 20 equal rules at once one is created', async () => {
    const body = { type: 'ASN', value: '64999' };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => owner.call('POST', path, { body })),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array(19).fill(409)]);
  });

  test('of 10 deletions of one rule at once one succeeds', async () => {
    const created = await owner.call('POST', path, { body: { type: 'ASN', value: '65000' } });
    const { id } = created.body.data;
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => owner.call('DELETE', `${path}?ruleId=${id}`)),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array(9).fill(404)]);
  });

  test.each([
    ['IP', '203.0.113.256'],
    ['IP', '10.0.0.0/33'],
    ['COUNTRY', 'XX'],
    ['ASN', '4294967296'],
    ['FINGERPRINT', 'short'],
    ['USER_ID', '18446744073709551616'],
    ['REGION', 'x'],
  ])('%s %s is refused on the field value', async (type, value) => {
    const reply = await owner.call('POST', path, { body: { type, value } });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['value']);
  });

  test('a rule of another own server cannot be deleted through this one', async () => {
    const elsewhere = rulesOf(await createServer(owner));
    const created = await owner.call('POST', elsewhere, { body: { type: 'ASN', value: '1' } });
    const reply = await owner.call('DELETE', `${path}?ruleId=${created.body.data.id}`);
    expect(reply.status).toBe(404);
    expect((await owner.call('GET', elsewhere)).body.data).toHaveLength(1);
  });
});

test('a plan without firewall may list and delete rules, not add them', async () => {
  const owner = await service.newTenant({ plan: 'FREE' });
  const path = rulesOf(await createServer(owner));
  expect((await owner.call('GET', path)).status).toBe(200);
  const refused = await owner.call('POST', path, { body: { type: 'ASN', value: '1' } });
  expect(refused.status).toBe(403);
  expect(refused.body.error).toContain('FREE');
  const foreign = rulesOf(crypto.randomUUID());
  expect((await owner.call('POST', foreign, { body: { type: 'ASN', value: '1' } })).status).toBe(
    404,
  );
});

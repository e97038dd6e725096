import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
let owner: Tenant;
let path: string;
let elsewhere: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.newTenant();
  const newPath = async () => `/api/v1/servers/${await createServer(owner)}/firewall`;
  [path, elsewhere] = [await newPath(), await newPath()];
});
afterAll(() => service.stop());

let asn = 1;
const newRule = () => ({ type: 'ASN', value: String(asn++) });
const newKey = () => ({ 'idempotency-key': crypto.randomUUID() });

describe('an Idempotency-Key', () => {
  test('makes a repeat get the first answer, without a second change', async () => {
    const [body, headers] = [newRule(), newKey()];
    const first = await owner.call('POST', path, { body, headers });
    const repeat = await owner.call('POST', path, { body, headers });
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(repeat.status).toBe(201);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.text).toBe(first.text);
  });

  test('recognizes a request by its parsed input, not by its spelling', async () => {
    const headers = { ...newKey(), 'content-type': 'application/json' };
    const { type, value } = newRule();
    await owner.call('POST', path, { raw: JSON.stringify({ type, value }), headers });
    const respelled = await owner.call('POST', path, {
      raw: `{ "value": "${value}",\n "type": "${type}" }`,
      headers,
    });
    expect(respelled.headers.get('idempotency-replayed')).toBe('true');
  });

  test('ignores unknown fields when it recognizes a request, however deep they may be nested', async () => {
    const headers = { ...newKey(), 'content-type': 'application/json' };
    const { type, value } = newRule();
    const nested = `${'['.repeat(60)}${']'.repeat(60)}`;
    const raw = `{"type":"${type}","value":"${value}","unknown":${nested}}`;
    expect((await owner.call('POST', path, { raw, headers })).status).toBe(201);
    const repeat = await owner.call('POST', path, {
      raw: JSON.stringify({ type, value }),
      headers,
    });
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
  });

  test.each([
    ['body', () => path, newRule],
    ['endpoint', () => path.replace('firewall', 'whitelist'), undefined],
    ['server', () => elsewhere, undefined],
  ])('refuses a request that differs in its %s alone', async (_, otherPath, otherBody) => {
    const [body, headers] = [newRule(), newKey()];
    expect((await owner.call('POST', path, { body, headers })).status).toBe(201);
    const other = { body: otherBody?.() ?? body, headers };
    const refused = await owner.call('POST', otherPath(), other);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'This Idempotency-Key was used for another request',
    ]);
  });

  test('belongs to the API key: another key of the same account starts afresh', async () => {
    const [body, headers] = [newRule(), newKey()];
    const second = await service.newKey(owner, ['*']);
    expect((await owner.call('POST', path, { body, headers })).status).toBe(201);
    const reply = await second.call('POST', path, { body, headers });
    expect(reply.headers.get('idempotency-replayed')).toBeNull();
    expect(reply.status).toBe(409);
  });

  test('stores only successes: a refused request may be corrected and sent again', async () => {
    const [body, headers] = [newRule(), newKey()];
    const created = await owner.call('POST', path, { body });
    const refused = await owner.call('POST', path, { body, headers });
    expect(refused.status).toBe(409);
    await owner.call('DELETE', `${path}?ruleId=${created.body.data.id}`);
    const mended = await owner.call('POST', path, { body, headers });
    expect(mended.status).toBe(201);
    expect(mended.headers.get('idempotency-replayed')).toBeNull();
  });

  test('is refused while the first request still runs', async () => {
    const [body, headers] = [newRule(), newKey()];
    const blocker = new SQL(service.databaseUrl, { max: 1 });
    const serverId = path.split('/')[4] ?? '';
    const released = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const blocking = blocker.begin(async (tx) => {
      await tx`select id from servers where id = ${serverId} for update`;
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const first = owner.call('POST', path, { body, headers });
    await Bun.sleep(100);
    const second = await owner.call('POST', path, { body, headers });
    released.resolve();
    await blocking;
    expect(second.status).toBe(409);
    expect(second.body.error).toContain('still running');
    expect((await first).status).toBe(201);
    await blocker.close();
  });

  test('lets 20 parallel repeats create one record', async () => {
    const [body, headers] = [newRule(), newKey()];
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => owner.call('POST', path, { body, headers })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const ids = replies.filter(({ status }) => status === 201).map((reply) => reply.body.data.id);
    expect(new Set(ids).size).toBe(1);
    for (const { status, body } of replies) {
      if (status === 409) expect(body.error).toContain('still running');
    }
  });

  test('does not return a secret twice', async () => {
    const headers = newKey();
    const body = { name: 'once', scopes: ['servers:read'] };
    const first = await owner.call('POST', '/api/v1/keys', { body, headers });
    const repeat = await owner.call('POST', '/api/v1/keys', { body, headers });
    expect(first.status).toBe(201);
    expect(repeat.status).toBe(409);
    expect(repeat.text).not.toContain(first.body.data.key);
  });

  test('expires after 24 hours', async () => {
    const [body, headers] = [newRule(), newKey()];
    const first = await owner.call('POST', path, { body, headers });
    await owner.call('DELETE', `${path}?ruleId=${first.body.data.id}`);
    const sql = new SQL(service.databaseUrl, { max: 1 });
    await sql`update idempotent_answers set created_at = now() - interval '25 hours'
      where idempotency_key = ${headers['idempotency-key']}`;
    await sql.close();
    const later = await owner.call('POST', path, { body, headers });
    expect(later.headers.get('idempotency-replayed')).toBeNull();
    expect(later.body.data.id).not.toBe(first.body.data.id);
  });

  test.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['not printable', 'a\tb'],
    ['not ASCII', 'ké'],
  ])('that is %s is refused', async (_, value) => {
    const reply = await owner.call('POST', path, {
      body: newRule(),
      headers: { 'idempotency-key': value },
    });
    expect(reply.status).toBe(400);
    expect(reply.body.details.fieldErrors['Idempotency-Key']).toBeDefined();
  });

  test('of 255 printable characters is fine', async () => {
    const headers = { 'idempotency-key': `${'k !~'.repeat(63)}end` };
    expect((await owner.call('POST', path, { body: newRule(), headers })).status).toBe(201);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  dashboardEndpoints,
  type Endpoint,
  effectOf,
  endpoints,
  isAudited,
} from '@holdfast/contract';
import { auditOf, blacklistSomeone, type Entry } from '../../../test/harness/api-calls.ts';
import { createBot, createServer, newBotBody } from '../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';
import { verifyChain } from './chain/verify-chain.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const totalOf = async (tenant: Tenant): Promise<number> => (await auditOf(tenant)).pagination.total;

describe('a change', () => {
  test('through any endpoint writes one entry, by the key that asked for it', async () => {
    const tenant = await service.newTenant();
    const rule = { type: 'ASN', value: '64500' };
    const made: Record<string, string> = {};
    const path = (template: string) =>
      `/api/v1${template.replace(/\{(\w+)\}/g, (_, name) => made[name] ?? '')}`;
    const newServer = () => ({
      platformGuildId: randomPlatformId(),
      customBotId: made.bot,
      name: 'Harbour',
    });
    const steps = [
      ['POST', '/bots', newBotBody, 'bot.create', 'bot'],
      ['PUT', '/bots/{bot}', () => ({ name: 'Renamed' }), 'bot.update', 'bot'],
      ['POST', '/servers', newServer, 'server.create', 'server'],
      ['PUT', '/servers/{server}', () => ({ name: 'Renamed' }), 'server.update', 'server'],
      ['POST', '/servers/{server}/firewall', () => rule, 'firewallRule.create', 'firewallRule'],
      [
        'DELETE',
        '/servers/{server}/firewall?ruleId={firewallRule}',
        undefined,
        'firewallRule.delete',
        'firewallRule',
      ],
      ['POST', '/servers/{server}/whitelist', () => rule, 'whitelistRule.create', 'whitelistRule'],
      [
        'DELETE',
        '/servers/{server}/whitelist?ruleId={whitelistRule}',
        undefined,
        'whitelistRule.delete',
        'whitelistRule',
      ],
      [
        'POST',
        '/servers/{server}/blacklist',
        () => ({ platformId: '42' }),
        'blacklist.create',
        'blacklistEntry',
      ],
      [
        'DELETE',
        '/blacklist?entryId={blacklistEntry}',
        undefined,
        'blacklist.delete',
        'blacklistEntry',
      ],
      ['POST', '/keys', () => ({ name: 'ci', scopes: ['*'] }), 'key.create', 'key'],
      ['DELETE', '/keys/{key}', undefined, 'key.revoke', 'key'],
      ['DELETE', '/servers/{server}', undefined, 'server.delete', 'server'],
      ['DELETE', '/bots/{bot}', undefined, 'bot.delete', 'bot'],
    ] as const;

    for (const [method, template, body, action, subject] of steps) {
      const before = await totalOf(tenant);
      const reply = await tenant.call(method, path(template), { body: body?.() });
      expect([action, reply.status]).toEqual([action, method === 'POST' ? 201 : 200]);
      made[subject] = reply.body.data.id;
      const { data, pagination } = await auditOf(tenant);
      expect(pagination.total).toBe(before + 1);
      expect(data[0]).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        actor: { type: 'KEY', id: tenant.keyId },
        action,
        subject: { type: subject, id: made[subject] },
        changes: expect.any(Object),
        prevHash: data[1].hash,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(Math.abs(Date.parse(data[0].at) - Date.now())).toBeLessThan(10_000);
    }
    expect(await verifyChain(service.db, tenant.accountId)).toMatchObject({ intact: true });
  });

  test('makes an entry through every endpoint but a few, which are named', () => {
    const all = Object.entries<Endpoint>({ ...endpoints, ...dashboardEndpoints });
    const unaudited = all.filter(([, entry]) => entry.method !== 'GET' && !isAudited(entry));
    const namesOf = (some: typeof all) => some.map(([name]) => name);
    const isRead = ([, entry]: (typeof all)[number]) => effectOf(entry) === 'reads';
    expect(namesOf(unaudited.filter((one) => !isRead(one)))).toEqual([
      'readAlerts',
      'openBillingPortal',
      'beginSecondFactor',
      'confirmSession',
    ]);
    expect(namesOf(unaudited.filter(isRead))).toEqual([
      'planRestore',
      'lookUpBot',
      'checkBotSecret',
    ]);
    for (const [, entry] of all) if (entry.method === 'GET') expect(effectOf(entry)).toBe('reads');
  });

  test('of sessions and of what a session decides is recorded', async () => {
    const tenant = await service.newTenant();
    const [here, there] = [
      await openDashboard(service, tenant),
      await openDashboard(service, tenant),
    ];
    await here.call('DELETE', `/sessions/${there.sessionId}`);
    const piece = Buffer.from('a part of a picture');
    const server = await createServer(tenant);
    await tenant.call('POST', `/api/v1/servers/${server}/backups/import/pieces`, {
      body: { data: piece.toString('base64') },
    });
    await here.call('DELETE', '/sessions');
    const { data } = await auditOf(tenant);
    const recorded = data.map(({ action, subject, changes }: Entry) => ({
      action,
      subject,
      changes,
    }));
    expect(recorded).toContainEqual({
      action: 'session.end',
      subject: { type: 'session', id: there.sessionId },
      changes: {},
    });
    expect(recorded).toContainEqual({
      action: 'backup.store_piece',
      subject: { type: 'server', id: server },
      changes: {
        sha256: new Bun.CryptoHasher('sha256').update(piece).digest('hex'),
        sizeBytes: 19,
      },
    });
    expect(recorded[0]).toEqual({
      action: 'session.end_all',
      subject: { type: 'session', id: null },
      changes: { ended: 1 },
    });
  });

  test('of something named in capitals is recorded as it is listed', async () => {
    const tenant = await service.newTenant();
    const id = await createBot(tenant);
    const removed = await tenant.call('DELETE', `/api/v1/bots/${id.toUpperCase()}`);
    expect(removed.body).toEqual({ data: { id, deleted: true } });
    expect((await auditOf(tenant)).data[0].subject.id).toBe(id);
  });

  test('that was refused writes none', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const serverId = await createServer(tenant);
    const [bot] = (await tenant.call('GET', '/api/v1/bots')).body.data;
    const weak = await service.newKey(tenant, ['servers:read']);
    const before = await auditOf(tenant);
    const server = `/api/v1/servers/${serverId}`;
    const refusals = [
      await tenant.call('POST', '/api/v1/bots', { body: {} }),
      await weak.call('DELETE', server),
      await tenant.call('DELETE', `/api/v1/bots/${crypto.randomUUID()}`),
      await tenant.call('POST', `${server}/firewall`, { body: { type: 'ASN', value: '1' } }),
      await tenant.call('POST', '/api/v1/bots', { body: newBotBody() }),
      await tenant.call('DELETE', `/api/v1/bots/${bot.id}`),
      await tenant.call('PUT', server, { body: { firewallEnabled: true } }),
      await service.call('DELETE', server),
    ];
    const statuses = refusals.map(({ status }) => status);
    expect(statuses).toEqual([400, 403, 404, 403, 403, 409, 403, 401]);
    await tenant.call('GET', server);
    expect(await auditOf(tenant)).toEqual(before);
  });

  test('that is asked for twice with one Idempotency-Key writes one entry', async () => {
    const tenant = await service.newTenant();
    const call = { body: newBotBody(), headers: { 'idempotency-key': 'once' } };
    const before = await totalOf(tenant);
    await tenant.call('POST', '/api/v1/bots', call);
    await tenant.call('POST', '/api/v1/bots', call);
    expect(await totalOf(tenant)).toBe(before + 1);
  });

  test('is recorded without any secret', async () => {
    const tenant = await service.newTenant();
    const mark = `canary-${crypto.randomUUID()}`;
    const id = await createBot(tenant, { botToken: mark, clientSecret: mark });
    await tenant.call('PUT', `/api/v1/bots/${id}`, { body: { botToken: `${mark}2`, name: 'x' } });
    const keyBody = { name: 'ci', scopes: ['*'] };
    const { key } = (await tenant.call('POST', '/api/v1/keys', { body: keyBody })).body.data;
    await tenant.call('DELETE', `/api/v1/bots/${id}`);
    const log = JSON.stringify(await auditOf(tenant));
    expect(log).not.toContain(mark);
    expect(log).not.toContain(key.slice(9));
    expect(log).not.toContain(new Bun.CryptoHasher('sha256').update(key).digest('hex'));
  });
});

describe('the list', () => {
  test('is paged newest first, and shows no other account', async () => {
    const [tenant, other] = [await service.newTenant(), await service.newTenant()];
    const serverId = await createServer(tenant);
    await createServer(other);
    for (let made = 0; made < 4; made++) await blacklistSomeone(tenant, serverId);
    const { data: all, pagination } = await auditOf(tenant);
    expect(pagination).toEqual({ page: 1, limit: 100, total: 7, totalPages: 1 });
    expect(all.slice(-3).map(({ action }: Entry) => action)).toEqual([
      'server.create',
      'bot.create',
      'key.create',
    ]);
    for (const page of [1, 2, 3, 4, 9_007_199_254_740_991]) {
      const part = await auditOf(tenant, `page=${page}&limit=3`);
      expect(part.data).toEqual(all.slice((page - 1) * 3, page * 3));
      expect(part.pagination).toEqual({ page, limit: 3, total: 7, totalPages: 3 });
    }
    const others = (await auditOf(other)).data.map(({ id }: Entry) => id);
    expect(all.filter(({ id }: Entry) => others.includes(id))).toEqual([]);
  });

  test.each(['page=0', 'limit=0', 'limit=101', 'page=1&page=1'])(
    'asked for with %s is refused',
    async (query) => {
      const tenant = await service.newTenant();
      expect((await tenant.call('GET', `/api/v1/audit?${query}`)).status).toBe(400);
    },
  );
});

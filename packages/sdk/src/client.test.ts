import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { apiPrefix, dashboardEndpoints, endpoints } from '@holdfast/contract';
import { createServer, newBotBody } from '../../../apps/server/test/harness/bots-and-servers.ts';
import { smallPicture } from '../../../apps/server/test/harness/endpoints/sample-records.ts';
import { insertMembers } from '../../../apps/server/test/harness/members.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../apps/server/test/harness/service.ts';
import { version } from '../package.json';
import { failureOf } from '../test/failure-of.ts';
import { fetchFrom, watch } from '../test/service-fetch.ts';
import { createHoldfast, HoldfastError, type HoldfastOptions, type ResponseInfo } from './index.ts';

const baseUrl = 'http://localhost:3000';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const clientOf = ({ key }: Pick<Tenant, 'key'>, options: Partial<HoldfastOptions> = {}) =>
  createHoldfast({ baseUrl, key, fetch: fetchFrom(service), ...options });

const newClient = async (options: Partial<HoldfastOptions> = {}) => {
  const tenant = await service.newTenant();
  return { tenant, holdfast: clientOf(tenant, options) };
};

describe('the client', () => {
  test('has a method for each operation of the contract, and `all` for those that are paginated', async () => {
    const { holdfast } = await newClient();
    const names = Object.keys(endpoints);
    expect(Object.keys(holdfast)).toEqual(expect.arrayContaining(names));
    const paged = Object.entries(holdfast).filter(([, method]) => 'all' in method);
    const paginated = Object.entries(endpoints).filter(([, entry]) => 'paginated' in entry);
    expect(paged.map(([name]) => name)).toEqual(paginated.map(([name]) => name));
  });

  test('has nothing of the dashboard, whose client is an entry of its own', async () => {
    const { holdfast } = await newClient();
    expect(Object.keys(dashboardEndpoints).filter((name) => name in holdfast)).toEqual([]);
    const offered = Object.keys(await import('@holdfast/sdk'));
    expect(offered).toContain('createHoldfast');
    expect(offered.filter((name) => /dashboard/i.test(name))).toEqual([]);
    const { createHoldfastDashboard } = await import('@holdfast/sdk/dashboard');
    const names = Object.keys({ ...endpoints, ...dashboardEndpoints });
    expect(Object.keys(createHoldfastDashboard({ baseUrl }))).toEqual(
      expect.arrayContaining(names),
    );
  });

  test('creates, reads, changes and deletes', async () => {
    const { tenant, holdfast } = await newClient();
    expect((await holdfast.getAccount()).platformId).toBe(tenant.platformId);
    const bot = await holdfast.createBot({ body: newBotBody() });
    const { id } = await holdfast.createServer({
      body: { platformGuildId: randomPlatformId(), customBotId: bot.id, name: 'Harbour' },
    });
    const params = { id };
    const changed = await holdfast.updateServer({ params, body: { name: 'Haven' } });
    expect(changed.name).toBe('Haven');
    expect(await holdfast.getServer({ params })).toEqual(changed);
    const rule = await holdfast.createFirewallRule({
      params,
      body: { type: 'IP', value: '203.0.113.7/24' },
    });
    expect(await holdfast.listFirewallRules({ params })).toEqual([rule]);
    await holdfast.deleteFirewallRule({ params, query: { ruleId: rule.id } });
    expect(await holdfast.listFirewallRules({ params })).toEqual([]);
    expect(await holdfast.deleteServer({ params })).toEqual({ id, deleted: true });
    expect((await holdfast.listServers()).pagination.total).toBe(0);
  });

  test('returns times as text', async () => {
    const { createdAt } = await (await newClient()).holdfast.getAccount();
    expect(new Date(createdAt).toISOString()).toBe(createdAt);
  });

  test('sends a search text unchanged, whatever characters it has', async () => {
    const { tenant, holdfast } = await newClient();
    const serverId = await createServer(tenant);
    const odd = 'a&b=c?d#e/f+g %h';
    await insertMembers(service.db, { owner: tenant, serverId }, { username: odd }, {});
    const params = { id: serverId };
    const found = await holdfast.listMembers({ params, query: { search: odd, pullable: false } });
    expect(found.data.map(({ username }) => username)).toEqual([odd]);
    const none = await holdfast.listMembers({ params, query: { search: odd, pullable: true } });
    expect(none.data).toEqual([]);
  });

  test.each(['', '.', '..'])(
    'sends nothing if the id is %p, which would address another resource',
    async (id) => {
      const { fetch, sent } = watch(fetchFrom(service));
      const { holdfast } = await newClient({ fetch });
      const serverId = crypto.randomUUID();
      const call = { params: { id: serverId, backupId: id } };
      await failureOf(holdfast.deleteBackup(call), TypeError);
      expect(sent).toEqual([]);
    },
  );

  test('encodes an id in the path', async () => {
    const { holdfast } = await newClient();
    const odd = '../account?x=1#y';
    const error = await failureOf(holdfast.getServer({ params: { id: odd } }), HoldfastError);
    expect(error.details?.fieldErrors).toEqual({ id: ['Must be a UUID'] });
  });

  test('refuses an invalid base URL when the client is created', () => {
    expect(() => createHoldfast({ baseUrl: 'localhost' })).toThrow(TypeError);
  });

  test.each([
    ['https://example.com', undefined, `https://example.com${apiPrefix}/account`],
    ['https://example.com/', undefined, `https://example.com${apiPrefix}/account`],
    ['https://example.com/hold/', undefined, `https://example.com/hold${apiPrefix}/account`],
    ['https://example.com', '/dashboard/api', 'https://example.com/dashboard/api/account'],
  ])('at %s below %p asks at %s', async (base, basePath, url) => {
    const answer = async () => Response.json({ data: {} });
    const { fetch, sent } = watch(answer);
    await createHoldfast({ baseUrl: base, basePath, fetch }).getAccount();
    expect(sent[0]?.url).toBe(url);
  });

  test('sends a picture as a form', async () => {
    const { holdfast } = await newClient();
    const idempotencyKey = crypto.randomUUID();
    const call = { body: { file: smallPicture() }, idempotencyKey };
    const picture = await holdfast.createUpload(call);
    expect(picture).toMatchObject({ width: 1, height: 1 });
    expect(await holdfast.createUpload(call)).toEqual(picture);
  });

  test('sends cookies only if it has no key', async () => {
    const { fetch, sent } = watch(fetchFrom(service));
    const { holdfast } = await newClient({ fetch });
    await holdfast.getAccount();
    await failureOf(createHoldfast({ baseUrl, fetch }).getAccount(), HoldfastError);
    expect(sent.map(({ init }) => init.credentials)).toEqual(['omit', 'same-origin']);
    expect(sent.map(({ headers }) => headers.has('authorization'))).toEqual([true, false]);
  });
});

describe('what a response says beside its body', () => {
  test('is told for each response: of a page, of a refusal, by the client and by the call', async () => {
    const told: ResponseInfo[] = [];
    const { tenant, holdfast } = await newClient({ onResponse: (info) => told.push(info) });
    await createServer(tenant);
    await createServer(tenant);
    const ofCall: ResponseInfo[] = [];
    const call = { query: { limit: 1 }, onResponse: (info: ResponseInfo) => ofCall.push(info) };
    expect(await Array.fromAsync(holdfast.listServers.all(call))).toHaveLength(2);
    const refused = holdfast.getServer({ params: { id: 'x' } });
    const error = await failureOf(refused, HoldfastError);
    expect(told.map(({ operation, status }) => [operation, status])).toEqual([
      ['listServers', 200],
      ['listServers', 200],
      ['getServer', 400],
    ]);
    expect(ofCall).toEqual(told.slice(0, 2));
    expect(new Set(told.map(({ requestId }) => requestId)).size).toBe(3);
    expect(error).toMatchObject(pick(told[2]));
    expect(told[2]?.headers.get('content-type')).toContain('application/json');
    const first = Number(told[0]?.headers.get('x-ratelimit-remaining'));
    const left = told.map(({ rateLimit }) => rateLimit?.remaining);
    expect(left).toEqual([first, first - 1, first - 2]);
    expect(told[0]?.rateLimit?.resetAt.getTime()).toBeWithin(Date.now(), Date.now() + 11_000);
  });

  test('is unknown where the headers are missing', async () => {
    const { holdfast } = await newClient({
      fetch: async () => new Response('', { status: 500, headers: { 'x-ratelimit-limit': '20' } }),
    });
    const { requestId, rateLimit } = await failureOf(holdfast.getAccount(), HoldfastError);
    expect({ requestId, rateLimit }).toEqual({ requestId: undefined, rateLimit: undefined });
  });

  test('and every request names the program, the SDK with its version, and the runtime', async () => {
    const { fetch, sent } = watch(fetchFrom(service));
    await (await newClient({ fetch })).holdfast.getAccount();
    await (await newClient({ fetch, userAgent: 'nightly/1.2' })).holdfast.getAccount();
    const own = `holdfast-sdk/${version} (bun ${Bun.version})`;
    const agents = sent.map(({ headers }) => headers.get('user-agent'));
    expect(agents).toEqual([own, `nightly/1.2 ${own}`]);
  });
});

const pick = ({ requestId, rateLimit }: Partial<ResponseInfo> = {}) => ({ requestId, rateLimit });

describe('every entry of a list', () => {
  const block = async (holdfast: ReturnType<typeof clientOf>, serverId: string) =>
    (
      await holdfast.createBlacklistEntry({
        params: { id: serverId },
        body: { platformId: randomPlatformId() },
      })
    ).id;

  const fixture = async (count: number) => {
    const { tenant, holdfast } = await newClient();
    const serverId = await createServer(tenant);
    const ids: string[] = [];
    while (ids.length < count) ids.unshift(await block(holdfast, serverId));
    return { holdfast, serverId, ids };
  };

  test('comes once and in order, whatever the size of a page', async () => {
    const { holdfast, ids } = await fixture(7);
    for (const limit of [1, 3, 7, 100]) {
      const listed = await Array.fromAsync(holdfast.listBlacklist.all({ query: { limit } }));
      expect(listed.map(({ id }) => id)).toEqual(ids);
    }
    expect(await Array.fromAsync(holdfast.listServers.all())).toHaveLength(1);
    expect(await Array.fromAsync(holdfast.listKeys.all({ query: { page: 2 } }))).toEqual([]);
  });

  test('comes once even if others are added meanwhile', async () => {
    const { holdfast, serverId, ids } = await fixture(6);
    const listed: string[] = [];
    for await (const { id } of holdfast.listBlacklist.all({ query: { limit: 3 } })) {
      listed.push(id);
      if (listed.length === 3) await block(holdfast, serverId);
    }
    expect(listed).toEqual(ids);
  });

  test('is read only as far as needed', async () => {
    const { fetch, sent } = watch(fetchFrom(service));
    const { tenant } = await newClient();
    const serverId = await createServer(tenant);
    const holdfast = clientOf(tenant, { fetch });
    for (let count = 0; count < 3; count++) await block(holdfast, serverId);
    sent.length = 0;
    for await (const _ of holdfast.listBlacklist.all({ query: { limit: 1 } })) break;
    expect(sent).toHaveLength(1);
  });
});

describe('a refusal', () => {
  test('for invalid input names the fields', async () => {
    const { holdfast } = await newClient();
    const body = { platformGuildId: 'x', customBotId: crypto.randomUUID(), name: 'Harbour' };
    const error = await failureOf(holdfast.createServer({ body }), HoldfastError);
    expect(error).toMatchObject({ status: 400, kind: 'invalidInput', message: 'Invalid input' });
    const fields = error.is('invalidInput') ? Object.keys(error.details.fieldErrors) : [];
    expect(fields).toEqual(['platformGuildId']);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('for a missing scope names it and the scopes of the key', async () => {
    const { tenant } = await newClient();
    const holdfast = clientOf(await service.newKey(tenant, ['account:read']));
    const error = await failureOf(holdfast.listServers(), HoldfastError);
    expect(error.is('missingScope') && [error.requiredScope, error.yourScopes]).toEqual([
      'servers:read',
      ['account:read'],
    ]);
  });

  test('has a kind that depends on its cause', async () => {
    const { tenant, holdfast } = await newClient();
    const missing = { params: { id: crypto.randomUUID() } };
    expect(await failureOf(holdfast.getServer(missing), HoldfastError)).toMatchObject({
      ...{ kind: 'notFound', status: 404, message: 'Server not found' },
    });
    const stranger = createHoldfast({ baseUrl, key: 'none', fetch: fetchFrom(service) });
    expect(await failureOf(stranger.getAccount(), HoldfastError)).toMatchObject({
      ...{ kind: 'unauthorized', status: 401 },
    });
    const params = { id: await createServer(tenant) };
    const body = { platformId: randomPlatformId() };
    await holdfast.createBlacklistEntry({ params, body });
    const again = holdfast.createBlacklistEntry({ params, body });
    expect(await failureOf(again, HoldfastError)).toMatchObject({ kind: 'conflict', status: 409 });
    const poor = clientOf(await service.newTenant({ plan: 'FREE' }));
    await poor.createBot({ body: newBotBody() });
    const second = poor.createBot({ body: newBotBody() });
    expect(await failureOf(second, HoldfastError)).toMatchObject({
      kind: 'forbidden',
      status: 403,
    });
  });
});

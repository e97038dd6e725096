import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../test/harness/api-calls.ts';
import {
  botRow,
  createBot,
  createServer,
  newBotBody,
} from '../../../test/harness/bots-and-servers.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const path = '/api/v1/bots';
const create = (tenant: Tenant, body: object) => tenant.call('POST', path, { body });
const update = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${path}/${id}`, { body });

describe('a new bot', () => {
  test('is answered with five fields', async () => {
    const body = newBotBody({ name: 'Möwe 🐦' });
    const reply = await create(await service.newTenant(), body);
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
        clientId: body.clientId,
        name: 'Möwe 🐦',
        isActive: true,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
  });

  test('is listed with all fields, newest first', async () => {
    const tenant = await service.newTenant();
    const older = (await create(tenant, newBotBody())).body.data;
    const newer = (await create(tenant, newBotBody({ name: 'Second' }))).body.data;
    const listed = await tenant.call('GET', path);
    expect(listed.status).toBe(200);
    expect(Object.keys(listed.body)).toEqual(['data']);
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([newer.id, older.id]);
    expect(listed.body.data[0]).toEqual({
      ...newer,
      avatar: expect.stringMatching(/^https?:\/\//),
      status: 'ONLINE',
      activityType: 'WATCHING',
      activityText: '',
      connection: 'CONNECTING',
      connectedAt: null,
      trouble: null,
      intents: { granted: [], missing: [] },
      updatedAt: newer.createdAt,
    });
  });

  test.each(Object.keys(newBotBody()))('without %s is refused on that field', async (field) => {
    const tenant = await service.newTenant();
    const reply = await create(tenant, newBotBody({ [field]: undefined }));
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
    expect((await tenant.call('GET', path)).body.data).toEqual([]);
  });

  test.each([
    ...['', '18446744073709551616', 175928847299117].map((value) => ['clientId', value] as const),
    ...['', 'x'.repeat(101)].map((value) => ['name', value] as const),
    ...['', 'x'.repeat(257)].map((value) => ['publicKey', value] as const),
    ...['', 'x'.repeat(513)].map((value) => ['botToken', value] as const),
    ...[null, 'x'.repeat(513)].map((value) => ['clientSecret', value] as const),
    ...['ftp://example.com/x', 'example.com', 'https://a.b/\r\nX: y'].map(
      (value) => ['redirectUri', value] as const,
    ),
  ])('whose %s is %p is refused on that field', async (field, value) => {
    const reply = await create(await service.newTenant(), newBotBody({ [field]: value }));
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('may not have the clientId of another bot of the same user; of another user it may', async () => {
    const [owner, other] = [await service.newTenant(), await service.newTenant()];
    const body = newBotBody();
    expect((await create(owner, body)).status).toBe(201);
    expect((await create(owner, { ...body, name: 'Again' })).status).toBe(409);
    expect((await create(other, body)).status).toBe(201);
  });
});

describe('the plan', () => {
  test.each([
    ['FREE', 1],
    ['PREMIUM', 3],
    ['BUSINESS', 10],
  ] as const)('%s allows %d bots, even when ten more are made at once', async (plan, most) => {
    const tenant = await service.newTenant({ plan });
    const replies = await Promise.all(
      Array.from({ length: most + 10 }, () => create(tenant, newBotBody())),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(most).fill(201), ...Array(10).fill(403)]);
    expect((await tenant.call('GET', path)).body.data).toHaveLength(most);
  });

  test('allows another bot once one was deleted, and is checked before duplicates are', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const body = newBotBody();
    const id = await createBot(tenant, body);
    expect((await create(tenant, body)).status).toBe(403);
    expect((await tenant.call('DELETE', `${path}/${id}`)).status).toBe(200);
    expect((await create(tenant, body)).status).toBe(201);
  });
});

describe('a change', () => {
  const values = {
    clientId: randomPlatformId(),
    name: 'Renamed',
    status: 'DND',
    activityType: 'LISTENING',
    activityText: 'the sea',
    isActive: false,
  };

  test.each(Object.entries(values))(
    'of %s to %p is answered, listed and audited',
    async (field, to) => {
      const tenant = await service.newTenant();
      const id = await createBot(tenant);
      const [before] = (await tenant.call('GET', path)).body.data;
      await Bun.sleep(2);
      const reply = await update(tenant, id, { [field]: to, id: crypto.randomUUID(), avatar: 'x' });
      expect(reply.status).toBe(200);
      expect(reply.body.data).toEqual({
        ...before,
        ...(field === 'isActive' && { connection: 'OFF' }),
        [field]: to,
        updatedAt: expect.any(String),
      });
      expect(reply.body.data.updatedAt > before.updatedAt).toBe(true);
      expect((await tenant.call('GET', path)).body.data).toEqual([reply.body.data]);
      const [entry] = (await auditOf(tenant)).data;
      expect(entry.changes).toEqual({ [field]: { from: before[field], to } });
    },
  );

  test.each([
    ['publicKey', 'b'.repeat(64)],
    ['redirectUri', 'http://localhost:3000/verify/callback'],
  ] as const)('of %s to %s is kept, though never shown', async (field, to) => {
    const tenant = await service.newTenant();
    const id = await createBot(tenant);
    expect((await update(tenant, id, { [field]: to })).status).toBe(200);
    expect((await botRow(service.db, id))[field]).toBe(to);
  });

  test.each([
    ...['AWAY', 'online'].map((value) => ['status', value] as const),
    ...[42, null].map((value) => ['clientId', value] as const),
    ['activityType', 'SLEEPING'],
    ['isActive', 'true'],
  ])('of %s to %p is refused on that field', async (field, value) => {
    const tenant = await service.newTenant();
    const reply = await update(tenant, await createBot(tenant), { [field]: value });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('that names no known field is refused', async () => {
    const tenant = await service.newTenant();
    const id = await createBot(tenant);
    for (const body of [{}, { id, createdAt: 'x', avatar: 'x' }]) {
      const reply = await update(tenant, id, body);
      expect([reply.status, reply.body.details.formErrors.length]).toEqual([400, 1]);
    }
  });

  test('to the clientId of another own bot is refused', async () => {
    const tenant = await service.newTenant();
    const taken = newBotBody();
    await createBot(tenant, taken);
    const id = await createBot(tenant);
    expect((await update(tenant, id, { clientId: taken.clientId })).status).toBe(409);
    expect((await botRow(service.db, id)).clientId).not.toBe(taken.clientId);
  });

  test('that changes nothing is answered, and audited by no entry', async () => {
    const tenant = await service.newTenant();
    const body = newBotBody();
    const id = await createBot(tenant, body);
    const before = await auditOf(tenant);
    const [listed] = (await tenant.call('GET', path)).body.data;
    const reply = await update(tenant, id, { ...body, status: 'ONLINE' });
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual(listed);
    expect(await auditOf(tenant)).toEqual(before);
  });
});

describe('a deletion', () => {
  test('is refused while a server uses the bot, and accepted once that server is deleted', async () => {
    const tenant = await service.newTenant();
    const customBotId = await createBot(tenant);
    const serverId = await createServer(tenant, { customBotId });
    const remove = () => tenant.call('DELETE', `${path}/${customBotId}`);
    expect((await remove()).status).toBe(409);
    expect((await tenant.call('GET', path)).body.data).toHaveLength(1);
    await tenant.call('DELETE', `/api/v1/servers/${serverId}`);
    const removed = await remove();
    expect(removed.status).toBe(200);
    expect(removed.body).toEqual({ data: { id: customBotId, deleted: true } });
    expect((await tenant.call('GET', path)).body.data).toEqual([]);
    expect((await remove()).status).toBe(404);
  });

  test('at once with a new server leaves a server with its bot, or neither', async () => {
    const tenant = await service.newTenant();
    for (let round = 0; round < 5; round++) {
      const customBotId = await createBot(tenant);
      const body = { platformGuildId: randomPlatformId(), customBotId, name: 'Race' };
      const [made, removed] = await Promise.all([
        tenant.call('POST', '/api/v1/servers', { body }),
        tenant.call('DELETE', `${path}/${customBotId}`),
      ]);
      expect(['201,409', '404,200']).toContain(`${made.status},${removed.status}`);
    }
  });
});

test('a bot of another account is as absent as one that never was', async () => {
  const [owner, stranger] = [await service.newTenant(), await service.newTenant()];
  const foreign = await createBot(owner);
  const body = { name: 'Stolen' };
  for (const [method, options] of [['PUT', { body }], ['DELETE']] as const) {
    const there = await stranger.call(method, `${path}/${foreign}`, options);
    const nowhere = await stranger.call(method, `${path}/${crypto.randomUUID()}`, options);
    expect([there.status, nowhere.status]).toEqual([404, 404]);
    expect(there.text).toBe(nowhere.text);
  }
  expect((await botRow(service.db, foreign)).name).toBe('Gatekeeper');
  expect((await stranger.call('GET', path)).body.data).toEqual([]);
});

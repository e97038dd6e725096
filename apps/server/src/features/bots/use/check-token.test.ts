import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { createBot, newBotBody } from '../../../../test/harness/bots-and-servers.ts';
import { expectBelow } from '../../../../test/harness/bounds.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({ platformApiUrl: simulator.apiUrl, doesWork: true });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const path = '/api/v1/bots';
const create = (tenant: Tenant, body: object) => tenant.call('POST', path, { body });
const update = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${path}/${id}`, { body });
const only = async (tenant: Tenant) => (await tenant.call('GET', path)).body.data[0];

const tokenOf = (clientId: string, mark = 'x') => `${btoa(clientId)}.${mark}`;
const setDead = (clientId: string, isDead: boolean) =>
  simulator.control('PUT', `/bots/${clientId}`, { isDead });
const callsOf = async (clientId: string): Promise<number> =>
  (await simulator.control('GET', '/log')).filter(
    ({ botId }: { botId: string }) => botId === clientId,
  ).length;

describe('a token', () => {
  test('that the platform refuses is refused on its field, and nothing is stored', async () => {
    const tenant = await service.newTenant();
    const body = newBotBody();
    await setDead(body.clientId, true);
    const refused = await create(tenant, body);
    expect(refused.status).toBe(400);
    expect(refused.body.details.fieldErrors).toEqual({
      botToken: ['The platform refuses this token'],
    });
    expect((await tenant.call('GET', path)).body.data).toEqual([]);
  });

  test('that is good brings the picture of its bot', async () => {
    const tenant = await service.newTenant();
    await createBot(tenant);
    expect((await only(tenant)).avatar).toMatch(/^http/);
  });

  test('counts as good while the platform gives no clear answer, and is checked later', async () => {
    const tenant = await service.newTenant();
    const body = newBotBody();
    const fault = { match: { method: 'GET', route: '/users/@me' }, when: 'before' };
    await simulator.control('POST', '/faults', {
      ...fault,
      times: 2,
      action: 'status',
      status: 503,
    });
    expect((await create(tenant, body)).status).toBe(201);
    await setDead(body.clientId, true);
    await eventually(10_000, async () => expect((await only(tenant)).isActive).toBe(false));
    await simulator.control('DELETE', '/faults');
    const [entry] = (await auditOf(tenant)).data;
    expect(entry).toMatchObject({
      action: 'bot.deactivate',
      actor: { type: 'SYSTEM' },
      changes: { isActive: { from: true, to: false } },
    });
  });

  test('is not waited for longer than two seconds', async () => {
    const tenant = await service.newTenant();
    const fault = { match: { method: 'GET', route: '/users/@me' }, when: 'before' };
    await simulator.control('POST', '/faults', { ...fault, times: 1, action: 'hang' });
    const startedAt = performance.now();
    expect((await create(tenant, newBotBody())).status).toBe(201);
    expectBelow(performance.now() - startedAt, 4000);
  });

  test('is never asked about for an account that had twenty refused', async () => {
    const tenant = await service.newTenant();
    const clientId = randomPlatformId();
    await setDead(clientId, true);
    const attempt = (mark: number) =>
      create(tenant, newBotBody({ clientId, botToken: tokenOf(clientId, String(mark)) }));
    for (let mark = 0; mark < 20; mark++) expect((await attempt(mark)).status).toBe(400);
    const calls = await callsOf(clientId);
    const refused = await attempt(20);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await callsOf(clientId)).toBe(calls);
    expect((await create(await service.newTenant(), newBotBody())).status).toBe(201);
  });
});

describe('a bot whose token was refused', () => {
  const deadBot = async () => {
    const tenant = await service.newTenant();
    const clientId = randomPlatformId();
    const id = await createBot(tenant, { clientId, botToken: tokenOf(clientId) });
    await setDead(clientId, true);
    const server = {
      platformGuildId: randomPlatformId(),
      customBotId: id,
      name: 'Harbour',
    };
    expect((await tenant.call('POST', '/api/v1/servers', { body: server })).status).toBe(201);
    expect((await only(tenant)).isActive).toBe(false);
    return { tenant, clientId, id };
  };

  test('is switched off at once, and not one further call is made with it', async () => {
    const { tenant, clientId, id } = await deadBot();
    const calls = await callsOf(clientId);
    const body = { platformGuildId: randomPlatformId(), customBotId: id, name: 'Second' };
    expect((await tenant.call('POST', '/api/v1/servers', { body })).status).toBe(201);
    await Bun.sleep(1500);
    expect(await callsOf(clientId)).toBe(calls);
  });

  test('cannot be switched on with the same token', async () => {
    const { tenant, id } = await deadBot();
    const refused = await update(tenant, id, { isActive: true });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.details.fieldErrors)).toEqual(['isActive']);
  });

  test('comes on again with a good one', async () => {
    const { tenant, clientId, id } = await deadBot();
    await setDead(clientId, false);
    const revived = await update(tenant, id, { botToken: tokenOf(clientId, 'new') });
    expect(revived.status).toBe(200);
    expect(revived.body.data.isActive).toBe(true);
  });
});

test('a bot that its owner switched off stays off when its token is replaced', async () => {
  const tenant = await service.newTenant();
  const clientId = randomPlatformId();
  const id = await createBot(tenant, { clientId, botToken: tokenOf(clientId) });
  await update(tenant, id, { isActive: false });
  const updated = await update(tenant, id, { botToken: tokenOf(clientId, 'new') });
  expect(updated.body.data.isActive).toBe(false);
});

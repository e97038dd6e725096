import { afterAll, beforeAll, expect, test } from 'bun:test';
import { backupDependencies } from '../../../test/harness/backups/run-backup.ts';
import { createBot } from '../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';
import { startTestSimulator, type TestSimulator } from '../../../test/harness/simulator/start.ts';
import { systemClock } from '../../kernel/clock.ts';
import { followGuildsOfBot } from '../bots/refused-guilds/ask-once.ts';
import { refreshServerJob } from './jobs.ts';

let simulator: TestSimulator;
let service: TestService;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({ platformApiUrl: simulator.apiUrl });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

/** A guild that the bot of nobody is in. */
const closedGuild = async (): Promise<string> => {
  const guildId = randomPlatformId();
  await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
  return guildId;
};

/** How often the platform refused to show something of these guilds. */
const refusalsOf = async (...guildIds: string[]): Promise<number> => {
  const log: { guildId: string | null; status: number | null }[] = await simulator.control(
    ...(['GET', '/log'] as const),
  );
  const ofGuild = log.filter(({ guildId }) => guildIds.includes(guildId ?? ''));
  return ofGuild.filter(({ status }) => [401, 403, 404, 429].includes(status ?? 0)).length;
};

const addServer = (tenant: Tenant, customBotId: string, platformGuildId: string) =>
  tenant.call('POST', '/api/v1/servers', { body: { name: 'Here', customBotId, platformGuildId } });

/** As the job does. */
const refresh = (tenant: Tenant, serverId: string, callerId?: string): Promise<void> => {
  const tools = backupDependencies(service, simulator.apiUrl);
  const job = refreshServerJob({ ...tools, clock: systemClock, observeGuild: async () => {} });
  const payload = { serverId, accountId: tenant.accountId, callerId };
  return job.run(payload, AbortSignal.timeout(10_000));
};

test('a server that exists already is refused before the platform is asked about it', async () => {
  const tenant = await service.newTenant({ plan: 'PREMIUM' });
  const customBotId = await createBot(tenant);
  const guildId = await closedGuild();
  expect((await addServer(tenant, customBotId, guildId)).status).toBe(201);
  const first = await refusalsOf(guildId);
  await service.db.$client`delete from refused_guilds where account_id = ${tenant.accountId}`;
  for (let count = 0; count < 30; count++) {
    expect((await addServer(tenant, customBotId, guildId)).status).toBe(409);
  }
  expect([first, await refusalsOf(guildId)]).toEqual([1, 1]);
});

test('nothing is asked for a server that the plan does not allow', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const customBotId = await createBot(tenant);
  await addServer(tenant, customBotId, await closedGuild());
  const guildId = await closedGuild();
  expect((await addServer(tenant, customBotId, guildId)).status).toBe(403);
  expect(await refusalsOf(guildId)).toBe(0);
});

test('a guild that was just refused is not asked for again, by whatever asks, until the bot is in it', async () => {
  const tenant = await service.newTenant();
  const customBotId = await createBot(tenant);
  const guildId = await closedGuild();
  const { id } = (await addServer(tenant, customBotId, guildId)).body.data;
  const { accountId } = tenant;
  const dashboard = await openDashboard(service, tenant);
  const ask = async () => {
    const bot = `/bots/${customBotId}/guilds/${guildId}`;
    const statuses = [
      await dashboard.call('GET', `/servers/${id}/guild`),
      await dashboard.call('GET', bot),
      await dashboard.call('POST', `${bot}/verified-role`),
      await dashboard.call('POST', `${bot}/log-channel`),
      await tenant.call('GET', `/api/v1/servers/${id}/protection`),
    ].map(({ status }) => status);
    await refresh(tenant, id);
    return statuses;
  };
  for (let round = 0; round < 4; round++) {
    expect(await ask()).toEqual([409, 409, 409, 409, 200]);
  }
  expect(await refusalsOf(guildId)).toBe(1);

  await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: true } });
  expect((await dashboard.call('GET', `/servers/${id}/guild`)).status).toBe(409);
  const isThere = { kind: 'guildAvailable' as const, guildId, name: 'Here', iconHash: null };
  const rest = { memberCount: 1, ownerId: '1', channelIds: [], roles: [] };
  await service.db.transaction((tx) =>
    followGuildsOfBot(tx, { accountId, botId: customBotId }, [{ ...isThere, ...rest }]),
  );
  expect((await dashboard.call('GET', `/servers/${id}/guild`)).status).toBe(200);
});

test('a key that names one foreign guild after the other has to wait, and others of the account do not', async () => {
  const tenant = await service.newTenant({ plan: 'PREMIUM' });
  const customBotId = await createBot(tenant);
  const guildIds = [];
  const statuses = [];
  for (let count = 0; count < 25; count++) {
    const guildId = await closedGuild();
    guildIds.push(guildId);
    const { status, body } = await addServer(tenant, customBotId, guildId);
    statuses.push(status);
    if (status === 201) await tenant.call('DELETE', `/api/v1/servers/${body.data.id}`);
  }
  expect(statuses).toEqual([...Array(20).fill(201), ...Array(5).fill(429)]);
  expect(await refusalsOf(...guildIds)).toBe(20);
  const other = await service.newKey(tenant, ['*']);
  expect((await addServer(other, customBotId, await closedGuild())).status).toBe(201);
});

test('keys that have used up what an account may be refused do not keep the person out of the dashboard', async () => {
  const tenant = await service.newTenant({ plan: 'PREMIUM' });
  const customBotId = await createBot(tenant);
  const statuses: number[] = [];
  for (let keys = 0; keys < 4; keys++) {
    const key = await service.newKey(tenant, ['*']);
    for (let count = 0; count < 20; count++) {
      const { status, body } = await addServer(key, customBotId, await closedGuild());
      statuses.push(status);
      if (status === 201) await key.call('DELETE', `/api/v1/servers/${body.data.id}`);
    }
  }
  expect(statuses).toEqual([...Array(60).fill(201), ...Array(20).fill(429)]);
  const { call } = await openDashboard(service, tenant);
  const platformGuildId = randomPlatformId();
  const guild = `/bots/${customBotId}/guilds/${platformGuildId}`;
  const body = { name: 'Own', customBotId, platformGuildId };
  const answers = [
    await call('GET', guild),
    await call('POST', `${guild}/verified-role`),
    await call('POST', '/servers', body),
  ].map(({ status }) => status);
  expect(answers).toEqual([200, 201, 201]);
});

test('a person, too, has to wait after many of their own', async () => {
  const tenant = await service.newTenant();
  const customBotId = await createBot(tenant);
  const { call } = await openDashboard(service, tenant);
  const ask = async () => call('GET', `/bots/${customBotId}/guilds/${await closedGuild()}`);
  for (let count = 0; count < 20; count++) expect((await ask()).status).toBe(409);
  // A refusal is stored beside the answer.
  await eventually(5000, async () => expect((await ask()).status).toBe(429));
});

test('a key cannot make refusals by moving a server from one foreign guild to the next', async () => {
  const tenant = await service.newTenant();
  const customBotId = await createBot(tenant);
  const { id } = (await addServer(tenant, customBotId, await closedGuild())).body.data;
  const statuses = [];
  for (let count = 0; count < 21; count++) {
    const body = { platformGuildId: await closedGuild() };
    const { status } = await tenant.call('PUT', `/api/v1/servers/${id}`, { body });
    statuses.push(status);
    await refresh(tenant, id, tenant.keyId);
  }
  expect(statuses).toEqual([...Array(19).fill(200), 429, 429]);
});

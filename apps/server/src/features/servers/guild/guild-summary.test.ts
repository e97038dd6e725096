import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
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

const read = async (tenant: Tenant, id: string) =>
  (await tenant.call('GET', `/api/v1/servers/${id}`)).body.data;

const membersOf = async (guildId: string): Promise<number> =>
  (await simulator.control('GET', `/guilds/${guildId}`)).members.length;

test('a new server shows the icon and the member count of its guild', async () => {
  const tenant = await service.newTenant();
  const platformGuildId = randomPlatformId();
  const server = await read(tenant, await createServer(tenant, { platformGuildId }));
  expect(server.memberCount).toBe(await membersOf(platformGuildId));
  expect(server.memberCount).toBeGreaterThan(0);
  expect(server.icon).toStartWith(`${simulator.url}/cdn/icons/${platformGuildId}/`);
  expect((await fetch(server.icon)).headers.get('content-type')).toStartWith('image/');
});

test('a server made while the platform is silent is looked at later', async () => {
  const tenant = await service.newTenant();
  const platformGuildId = randomPlatformId();
  await simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id', guildId: platformGuildId },
    times: 1,
    when: 'before',
    action: 'status',
    status: 502,
  });
  const id = await createServer(tenant, { platformGuildId });
  await eventually(10_000, async () =>
    expect((await read(tenant, id)).memberCount).toBeGreaterThan(0),
  );
});

test('a server that moved to another guild shows that one', async () => {
  const tenant = await service.newTenant();
  const id = await createServer(tenant);
  const platformGuildId = randomPlatformId();
  await tenant.call('PUT', `/api/v1/servers/${id}`, { body: { platformGuildId } });
  await eventually(10_000, async () => {
    const server = await read(tenant, id);
    expect(server.icon).toStartWith(`${simulator.url}/cdn/icons/${platformGuildId}/`);
    expect(server.memberCount).toBe(await membersOf(platformGuildId));
  });
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { letHoursPass } from '../../../../test/harness/backups/let-hours-pass.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createPlanTable } from '../../plans/rules.ts';
import { createDueBackups } from './jobs.ts';

let simulator: TestSimulator;
let service: TestService;
let tick: () => Promise<void>;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ doesWork: true });
  const { db, queue, log } = service;
  const { limitsOf } = createPlanTable(undefined);
  const { signal } = new AbortController();
  tick = () => createDueBackups({ db, queue, log, limitsOf, clock: systemClock }, signal);
});
afterAll(() => service.stop());

type Backup = {
  id: string;
  kind: string;
  status: string;
  suspicious: boolean;
  error: string | null;
};

const listOf = async (tenant: Tenant, serverId: string): Promise<Backup[]> =>
  (await tenant.call('GET', `/api/v1/servers/${serverId}/backups?limit=100`)).body.data;

const scheduledServer = async (settings: object = {}) => {
  const tenant = await service.newTenant(settings);
  const guildId = randomPlatformId();
  const serverId = await createServer(tenant, { platformGuildId: guildId });
  const body = {
    backupSchedule: { everyHours: 24 },
    retention: { daily: 2, weekly: 0, monthly: 0 },
  };
  expect((await tenant.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
  return { tenant, guildId, serverId };
};

const age = (serverId: string, hours: number) => letHoursPass(service.db.$client, serverId, hours);

const allEnded = (tenant: Tenant, serverId: string, count: number) =>
  eventually(20_000, async () => {
    const backups = await listOf(tenant, serverId);
    expect(backups.map(({ status }) => status)).toEqual(Array(count).fill('completed'));
    return backups;
  });

test('a server with a schedule is backed up when its time has come, and not before', async () => {
  const { tenant, serverId } = await scheduledServer();
  await Promise.all([tick(), tick()]);
  expect(await listOf(tenant, serverId)).toMatchObject([{ kind: 'SCHEDULED' }]);
  await tick();
  await age(serverId, 23);
  await tick();
  expect(await listOf(tenant, serverId)).toHaveLength(1);
  await age(serverId, 1);
  await tick();
  expect(await listOf(tenant, serverId)).toHaveLength(2);
});

test('a worker that waits while another creates the backup creates none', async () => {
  const { tenant, serverId } = await scheduledServer();
  const { $client: sql } = service.db;
  const { ticking } = await sql.begin(async (tx) => {
    await tx`select from accounts where id = ${tenant.accountId} for update`;
    const started = tick();
    await eventually(10_000, async () => {
      const [waiting] = await sql`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      expect(waiting.n).toBe(1);
    });
    await tx`
      insert into backups (id, account_id, server_id, name, kind, components, messages_per_channel, created_at)
      values (gen_random_uuid(), ${tenant.accountId}, ${serverId}, 'first', 'SCHEDULED', '[]', 0, clock_timestamp())`;
    return { ticking: started };
  });
  await ticking;
  expect(await listOf(tenant, serverId)).toHaveLength(1);
});

test('a server without a schedule, or a deleted one, is left alone', async () => {
  const { tenant, serverId } = await scheduledServer();
  const body = { backupSchedule: null };
  await tenant.call('PUT', `/api/v1/servers/${serverId}`, { body });
  await tick();
  expect(await listOf(tenant, serverId)).toEqual([]);
});

test('backups that the retention no longer keeps are deleted, and manual ones stay', async () => {
  const { tenant, serverId } = await scheduledServer();
  await tenant.call('POST', `/api/v1/servers/${serverId}/backups`);
  await allEnded(tenant, serverId, 1);
  for (let day = 0; day < 7; day++) {
    await tick();
    await eventually(20_000, async () => {
      const backups = await listOf(tenant, serverId);
      expect(backups.every(({ status }) => status === 'completed')).toBe(true);
    });
    await age(serverId, 24);
  }
  await eventually(10_000, async () => {
    const kinds = (await listOf(tenant, serverId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'SCHEDULED')).toHaveLength(4);
    expect(kinds.filter((kind) => kind === 'MANUAL')).toHaveLength(1);
  });
});

test('a snapshot of a wrecked server is flagged, kept, and pushes no good one out', async () => {
  const { tenant, guildId, serverId } = await scheduledServer();
  await tick();
  const [good] = await allEnded(tenant, serverId, 1);
  const guild = await simulator.control('GET', `/guilds/${guildId}`);
  const channels = guild.channels.slice(0, 2);
  await simulator.control('PUT', `/guilds/${guildId}`, { ...guild, channels });
  for (let day = 0; day < 6; day++) {
    await age(serverId, 24);
    await tick();
    await eventually(20_000, async () => {
      const [newest] = await listOf(tenant, serverId);
      expect(newest).toMatchObject({ status: 'completed', suspicious: true });
    });
  }
  const left = await listOf(tenant, serverId);
  expect(left).toContainEqual(expect.objectContaining({ id: good?.id }));
});

test('a full plan is shown as a failed backup, and raises an alert', async () => {
  const { tenant, serverId } = await scheduledServer({ plan: 'FREE' });
  for (let count = 0; count < 15; count++) {
    await tenant.call('POST', `/api/v1/servers/${serverId}/backups`);
  }
  await tick();
  const [newest] = await listOf(tenant, serverId);
  expect(newest).toMatchObject({ kind: 'SCHEDULED', status: 'failed' });
  expect(newest?.error).toContain('limit for backups (15)');
  const alerts = (await tenant.call('GET', '/api/v1/alerts')).body.data;
  const href = `/dashboard/servers/${serverId}/backups/${newest?.id}`;
  expect(alerts).toContainEqual(
    expect.objectContaining({ kind: 'BACKUP_FAILED', detail: `${newest?.error}.`, href }),
  );
});

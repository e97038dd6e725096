import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBot, createServer } from '../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { insertMembers } from '../../../test/harness/members.ts';
import { storeIncident, storeWave } from '../../../test/harness/protection.ts';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const overviewOf = async (owner: Tenant) => {
  const reply = await (await openDashboard(service, owner)).call('GET', '/overview');
  expect(reply.status).toBe(200);
  return reply.body.data.servers;
};

const sql = () => service.db.$client;

type Backup = { kind?: string; status?: string; restorable?: boolean; hoursAgo: number };

const insertBackup = async (owner: Tenant, serverId: string, backup: Backup): Promise<string> => {
  const { kind = 'MANUAL', status = 'completed', restorable = null, hoursAgo } = backup;
  const id = crypto.randomUUID();
  const at = new Date(Date.now() - hoursAgo * 3_600_000);
  await sql()`insert into backups (id, account_id, server_id, name, kind, status, components,
      messages_per_channel, restorable, created_at, completed_at)
    values (${id}, ${owner.accountId}, ${serverId}, 'b', ${kind}, ${status}, '[]', 0, ${restorable},
      ${at}, ${status === 'completed' ? at : null})`;
  return id;
};

test('an account without servers has an empty overview', async () => {
  expect(await overviewOf(await service.newTenant())).toEqual([]);
});

test('a new server has no data yet, and shows its bot', async () => {
  const owner = await service.newTenant();
  const botId = await createBot(owner);
  const id = await createServer(owner);
  expect(await overviewOf(owner)).toEqual([
    {
      ...{ id, name: 'Harbour', icon: expect.stringMatching(/^http/) },
      ...{ memberCount: expect.any(Number), members: 0, pullableMembers: 0, openAppeals: 0 },
      backupEveryHours: null,
      ...{ hasVerifiedRole: false, hasLogChannel: false, postedPanels: 0 },
      bot: {
        ...{ id: botId, name: 'Gatekeeper' },
        ...{ isActive: true, isRefused: false, isSecretRefused: false },
      },
      ...{ health: 'UNKNOWN', healthReasons: expect.any(Array), lastGoodBackupId: null },
      brokenPointers: [],
      lastBackup: null,
      ...{ unrestorableBackups: null, openIncidents: [] },
      running: [],
    },
  ]);
});

test('what the set-up asks for is shown as it is: role, channel and panels that are posted', async () => {
  const owner = await service.newTenant();
  const id = await createServer(owner, { verifiedRoleId: '1', logChannelId: '2' });
  await createServer(owner);
  for (const status of ['POSTED', 'POSTED', 'MISSING', 'FAILED']) {
    await sql()`insert into panels (id, account_id, server_id, channel_id, title, text, color,
        button_text, status, post_id)
      values (${crypto.randomUUID()}, ${owner.accountId}, ${id}, '3', 'Welcome', '', 0, 'Verify',
        ${status}, ${crypto.randomUUID()})`;
  }
  const [other, server] = await overviewOf(owner);
  expect(server).toMatchObject({ hasVerifiedRole: true, hasLogChannel: true, postedPanels: 2 });
  expect(other).toMatchObject({ hasVerifiedRole: false, hasLogChannel: false, postedPanels: 0 });
});

test('the newest attack and the newest raid that have not ended are shown', async () => {
  const owner = await service.newTenant();
  const serverId = await createServer(owner);
  const earlier = new Date(Date.now() - 60_000);
  await storeIncident(owner, serverId, { incident: { createdAt: earlier } });
  const { id } = await storeIncident(owner, serverId);
  const raidId = await storeWave(owner, serverId);
  const endedAt = new Date();
  await storeIncident(owner, serverId, { incident: { status: 'repaired', endedAt } });
  const [shown] = await overviewOf(owner);
  expect(shown.openIncidents).toEqual([
    { id, kind: 'NUKE', status: 'contained', attackers: { total: 1, unstopped: 0 } },
    { id: raidId, kind: 'RAID', status: 'contained', attackers: { total: 0, unstopped: 0 } },
  ]);
});

test('an open attack tells how many of its attackers could not be stopped', async () => {
  const owner = await service.newTenant();
  const serverId = await createServer(owner);
  const executor = { status: 'unstoppable', code: 'ROLE_TOO_HIGH', stoppedAt: null } as const;
  const { id } = await storeIncident(owner, serverId, { executor });
  await sql()`insert into incident_executors (incident_id, platform_id, username, is_bot, status, stopped_at)
    values (${id}, '9', 'helper', false, 'stopped', now())`;
  const [shown] = await overviewOf(owner);
  expect(shown.openIncidents).toEqual([
    { id, kind: 'NUKE', status: 'contained', attackers: { total: 2, unstopped: 1 } },
  ]);
});

test('unrestorable backups are counted until they are deleted', async () => {
  const owner = await service.newTenant();
  const serverId = await createServer(owner);
  const other = await createServer(owner);
  const old = await insertBackup(owner, serverId, { hoursAgo: 30, restorable: false });
  const safety = { hoursAgo: 20, restorable: false, kind: 'PRE_RESTORE' };
  const newest = await insertBackup(owner, serverId, safety);
  const last = await insertBackup(owner, serverId, { hoursAgo: 1, restorable: true });
  await insertBackup(owner, other, { hoursAgo: 1 });

  const unrestorable = async () => {
    const [otherServer, server] = await overviewOf(owner);
    expect(otherServer.unrestorableBackups).toBeNull();
    expect(server.lastBackup.id).toBe(last);
    return server.unrestorableBackups;
  };
  expect(await unrestorable()).toEqual({ total: 2, newestId: newest });
  const deletion = await owner.call('DELETE', `/api/v1/servers/${serverId}/backups/${newest}`);
  expect(deletion.status).toBe(200);
  expect(await unrestorable()).toEqual({ total: 1, newestId: old });
  await owner.call('DELETE', `/api/v1/servers/${serverId}/backups/${old}`);
  expect(await unrestorable()).toBeNull();
});

test('each server shows its own members, appeals and newest completed backup', async () => {
  const owner = await service.newTenant();
  const serverId = await createServer(owner);
  const other = await createServer(owner);
  const consent = { tokenStatus: 'VALID' as const, consentedAt: new Date() };
  await insertMembers(service.db, { owner, serverId }, {}, consent);
  for (const status of ['OPEN', 'REJECTED']) {
    await sql()`insert into appeals (id, account_id, server_id, platform_id, username, reason, message, status)
      values (gen_random_uuid(), ${owner.accountId}, ${serverId}, '7', 'n', 'VPN', 'm', ${status})`;
  }
  await insertBackup(owner, serverId, { hoursAgo: 30 });
  const newest = await insertBackup(owner, serverId, { hoursAgo: 20, restorable: true });
  await insertBackup(owner, serverId, { hoursAgo: 2, status: 'failed' });
  await insertBackup(owner, serverId, { hoursAgo: 1, kind: 'PRE_RESTORE' });

  const servers = await overviewOf(owner);
  expect(servers.map(({ id }: { id: string }) => id)).toEqual([other, serverId]);
  expect(servers[0]).toMatchObject({ members: 0, openAppeals: 0, lastBackup: null });
  expect(servers[1]).toMatchObject({ members: 2, pullableMembers: 1, openAppeals: 1 });
  expect(servers[1].lastBackup).toMatchObject({ id: newest, restorable: true, suspicious: false });
});

test('running jobs are shown with their progress', async () => {
  const owner = await service.newTenant();
  const serverId = await createServer(owner);
  const backup = await insertBackup(owner, serverId, { hoursAgo: 0, status: 'running' });
  await insertBackup(owner, serverId, { hoursAgo: 0, status: 'running', kind: 'PRE_RESTORE' });
  const [pull, restore] = [crypto.randomUUID(), crypto.randomUUID()];
  const { accountId } = owner;
  await sql()`insert into pulls (id, account_id, server_id, target_server_id, status, total, processed, joined)
    values (${pull}, ${accountId}, ${serverId}, ${serverId}, 'running', 10, 4, 4)`;
  await sql()`insert into restores (id, account_id, server_id, backup_id, components, status)
    values (${restore}, ${accountId}, ${serverId}, ${backup}, '[]', 'queued')`;
  const [{ running }] = await overviewOf(owner);
  expect(running).toEqual([
    { kind: 'RESTORE', id: restore, progress: 0 },
    { kind: 'PULL', id: pull, progress: 40 },
    { kind: 'BACKUP', id: backup, progress: 0 },
  ]);
});

test('an inactive bot shows whether the platform refused it', async () => {
  const owner = await service.newTenant();
  await createServer(owner);
  await sql()`update bots set is_active = false where account_id = ${owner.accountId}`;
  expect((await overviewOf(owner))[0].bot).toMatchObject({ isActive: false, isRefused: false });
  await sql()`update bots set refused_at = now() where account_id = ${owner.accountId}`;
  expect((await overviewOf(owner))[0].bot).toMatchObject({ isActive: false, isRefused: true });
});

test('an account sees nothing of another one', async () => {
  const owner = await service.newTenant();
  await createServer(owner);
  expect(await overviewOf(await service.newTenant())).toEqual([]);
});

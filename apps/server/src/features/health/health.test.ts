import { expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { createHealthFixture, harbour } from '../../../test/harness/health.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { cdnUrlOf } from '../../platform/client/urls.ts';
import { createPlatformMetrics } from '../../platform/metrics.ts';
import { createPlatform } from '../../platform/platform.ts';
import { refreshServerJob } from '../servers/jobs.ts';
import { findAbsence } from './assess/find-absence-job.ts';
import { health } from './feature.ts';

const doesWork = ['backups.run', 'restores.run', 'servers.refresh', 'health.find-absence'];
const { service, simulator, fixture: backups } = await startBackupFixture({ doesWork });
const fixture = createHealthFixture(service, simulator, backups);
const { apiUrl } = simulator;
const platform = createPlatform({
  ...{ apiUrl, cdnUrl: cdnUrlOf(apiUrl) },
  metrics: createPlatformMetrics(createMetrics().registry),
});

const repair = async (server: OwnedGuild, backupId: string) => {
  const path = `${backups.backupsOf(server.serverId)}/${backupId}/restore`;
  const reply = await server.tenant.call('POST', path, { body: { mode: 'REPAIR' } });
  expect(reply.status).toBe(202);
  return backups.restored(server, reply.body.data.id);
};

test('a wrecked server is damaged as soon as it is reported, and good again once it is restored', async () => {
  const server = await fixture.newServer();
  expect(await fixture.healthOf(server)).toEqual({
    ...{ health: 'GOOD', reasons: [], lastGoodBackupId: server.backup.id },
  });
  await fixture.destroy(server, { channels: 12, roles: 5 });
  expect(await fixture.healthOf(server)).toMatchObject({
    health: 'DAMAGED',
    reasons: ['CHANNELS_MISSING', 'ROLES_MISSING'],
  });

  expect(await repair(server, server.backup.id)).toMatchObject({
    status: 'completed',
    warnings: [],
  });
  await fixture.reportAll(server);
  expect(await fixture.healthOf(server)).toEqual({
    ...{ health: 'GOOD', reasons: [], lastGoodBackupId: server.backup.id },
  });
  const next = await backups.takeBackup(server);
  expect(await fixture.lastGoodOf(server)).toBe(next.id);
});

test('the owner is told of damage and of loss once each time it begins', async () => {
  const server = await fixture.newServer();
  const { tenant, guildId } = server;
  const alertsOf = async () => {
    const { body } = await tenant.call('GET', '/api/v1/alerts');
    return body.data.map(({ kind }: { kind: string }) => kind);
  };
  await fixture.destroy(server, { channels: 2 });
  expect(await alertsOf()).toEqual([]);
  for (let more = 0; more < 3; more++) await fixture.destroy(server, { channels: 1 });
  expect(await alertsOf()).toEqual(['SERVER_DAMAGED']);
  await fixture.report(server, { kind: 'guildGone', guildId });
  await fixture.report(server, { kind: 'guildsListed', guildIds: [] });
  await eventually(10_000, async () =>
    expect(await alertsOf()).toEqual(['SERVER_LOST', 'SERVER_DAMAGED']),
  );
});

test('the owner is told once of a loss whose job runs twice', async () => {
  const server = await fixture.newServer();
  const { tenant, serverId, guildId } = server;
  const lost = { accountId: tenant.accountId, serverId, guildId, isNew: true };
  await fixture.report(server, { kind: 'guildGone', guildId });
  await service.db.transaction((tx) => service.queue.enqueue(tx, findAbsence, lost));
  await eventually(10_000, async () => {
    const done = await service.db.$client`
      select from pgboss.job where name = ${findAbsence.name} and state = 'completed'
        and data ->> 'serverId' = ${serverId}`;
    expect(done).toHaveLength(2);
  });
  const { body } = await tenant.call('GET', '/api/v1/alerts');
  expect(body.data).toMatchObject([{ kind: 'SERVER_LOST' }]);
});

test('two channels of twelve are no damage, and a third one is', async () => {
  const server = await fixture.newServer();
  await fixture.destroy(server, { channels: 2 });
  expect((await fixture.healthOf(server)).health).toBe('GOOD');
  await fixture.destroy(server, { channels: 1 });
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
});

test('open pages are told when the health of a server changes, and not while it stays', async () => {
  const server = await fixture.newServer();
  const topic = `servers:${server.serverId}` as const;
  const change = { accountId: server.tenant.accountId, topic };
  let before = service.changes.length;
  await fixture.destroy(server, { channels: 2 });
  expect(service.changes.slice(before)).not.toContainEqual(change);
  before = service.changes.length;
  await fixture.destroy(server, { channels: 1 });
  expect(service.changes.slice(before)).toContainEqual(change);
});

test('a backup of a damaged server never becomes the last good one, nor while its roles are given back', async () => {
  const server = await fixture.newServer();
  await fixture.destroy(server, { channels: 4 });
  const wrecked = await backups.takeBackup(server);
  expect(wrecked.status).toBe('completed');
  expect(await fixture.lastGoodOf(server)).toBe(server.backup.id);
  const pull = await server.tenant.call('POST', `/api/v1/servers/${server.serverId}/pull`);
  expect(pull.body.data.rolesFromBackupId).toBe(server.backup.id);

  expect((await backups.delete(server, server.backup.id)).status).toBe(200);
  expect(await fixture.healthOf(server)).toMatchObject({
    ...{ health: 'UNKNOWN', lastGoodBackupId: null },
  });
});

test('a backup sees by itself that a server is damaged, without any report', async () => {
  const server = await backups.newServer(harbour());
  await fixture.connect(server);
  const good = await backups.takeBackup(server);
  const { channels, ...guild } = harbour();
  const left = { ...guild, channels: channels.slice(3) };
  await simulator.control('PUT', `/guilds/${server.guildId}`, left);
  await backups.takeBackup(server);
  expect(await fixture.healthOf(server)).toMatchObject({
    ...{ health: 'DAMAGED', lastGoodBackupId: good.id },
  });
});

test('a backup without channels and roles is not the last good one', async () => {
  const server = await fixture.newServer();
  await backups.takeBackup(server, { components: ['emojis'] });
  expect(await fixture.lastGoodOf(server)).toBe(server.backup.id);
});

test('the bot that is removed makes it lost, and its return good', async () => {
  const server = await fixture.newServer();
  const { guildId } = server;
  await fixture.report(server, { kind: 'guildGone', guildId });
  expect((await fixture.healthOf(server)).health).toBe('LOST');
  await eventually(10_000, async () =>
    expect((await fixture.healthOf(server)).reasons).toEqual(['BOT_REMOVED']),
  );
  await fixture.reportAll(server);
  expect((await fixture.healthOf(server)).health).toBe('GOOD');
  await fixture.report(server, { kind: 'guildsListed', guildIds: [guildId] });
  expect((await fixture.healthOf(server)).health).toBe('GOOD');
  await fixture.report(server, { kind: 'guildsListed', guildIds: [randomPlatformId()] });
  expect((await fixture.healthOf(server)).health).toBe('LOST');
});

test('a verified role that is deleted makes it changed, until the owner names another', async () => {
  const server = await fixture.newServer();
  const [first, second] = harbour().roles;
  const put = (verifiedRoleId: string | undefined) =>
    server.tenant.call('PUT', `/api/v1/servers/${server.serverId}`, { body: { verifiedRoleId } });
  await put(first?.id);
  expect((await fixture.healthOf(server)).health).toBe('GOOD');
  await fixture.destroy(server, { roles: 1 });
  expect(await fixture.healthOf(server)).toMatchObject({
    ...{ health: 'CHANGED', reasons: ['VERIFIED_ROLE_MISSING'] },
  });
  await put(second?.id);
  expect((await fixture.healthOf(server)).health).toBe('GOOD');
});

test('a server that moves to an empty guild is damaged there once that was seen', async () => {
  const server = await fixture.newServer();
  const elsewhere = { ...server, guildId: randomPlatformId() };
  await simulator.control('PUT', `/guilds/${elsewhere.guildId}`, {});
  const body = { platformGuildId: elsewhere.guildId };
  await server.tenant.call('PUT', `/api/v1/servers/${server.serverId}`, { body });
  await fixture.reportAll(elsewhere);
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
});

test('the same guild of two accounts is judged for each by its own backups', async () => {
  const server = await fixture.newServer();
  const tenant = await service.newTenant();
  const { guildId } = server;
  const serverId = await createServer(tenant, { platformGuildId: guildId });
  const other = { tenant, guildId, serverId };
  await fixture.connect(other);
  await fixture.destroy(server, { channels: 5 });
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
  expect(await fixture.healthOf(other)).toMatchObject({
    ...{ health: 'UNKNOWN', lastGoodBackupId: null },
  });
  const backup = await backups.takeBackup(other);
  await fixture.reportAll(other);
  expect(await fixture.healthOf(other)).toMatchObject({
    ...{ health: 'GOOD', lastGoodBackupId: backup.id },
  });
  expect((await fixture.healthOf(server)).lastGoodBackupId).toBe(server.backup.id);
});

test('of many changes that are reported at once none is lost', async () => {
  const server = await fixture.newServer();
  const { guildId } = server;
  const { channels } = harbour();
  await Promise.all(
    channels
      .slice(0, 6)
      .map(({ id }) => fixture.report(server, { kind: 'channelDeleted', guildId, channelId: id })),
  );
  const { body } = await server.tenant.call('GET', '/api/v1/servers');
  expect(body.data[0]).toMatchObject({
    health: 'DAMAGED',
    healthReasons: [
      {
        code: 'CHANNELS_MISSING',
        detail: '6 of the 12 channels of the last good backup are missing.',
      },
    ],
  });
});

test('what is reported while a guild is read is newer, also where the clock of that process is ahead', async () => {
  const server = await fixture.newServer();
  const { guildId, serverId, tenant } = server;
  await simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/channels', guildId },
    ...{ when: 'afterApply', action: 'delay', ms: 1000 },
  });
  const { observeGuild } = health.create(service);
  const ahead = { now: () => new Date(Date.now() + 3_600_000) };
  const job = refreshServerJob({ ...service, platform, clock: ahead, observeGuild });
  const before = (await simulator.control('GET', '/log')).length;
  const refreshing = job.run(
    { serverId, accountId: tenant.accountId },
    new AbortController().signal,
  );
  await eventually(10_000, async () => {
    const log: { path: string }[] = (await simulator.control('GET', '/log')).slice(before);
    expect(log.some(({ path }) => path.endsWith(`/guilds/${guildId}/channels`))).toBe(true);
  });
  await fixture.destroy(server, { channels: 5 });
  await refreshing;
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
});

test('a clock that is set back does not keep a backup from seeing the damage', async () => {
  const server = await fixture.newServer();
  await service.db.$client`
    update live_guilds set changed_at = changed_at + interval '1 day'
    where server_id = ${server.serverId}`;
  const { channels, ...guild } = harbour();
  const left = { ...guild, channels: channels.slice(3) };
  await simulator.control('PUT', `/guilds/${server.guildId}`, left);
  await backups.takeBackup(server);
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
});

test('while its bot is not connected the health is unknown, and afterwards as before', async () => {
  const server = await fixture.newServer();
  await fixture.destroy(server, { channels: 4 });
  await service.db
    .$client`update bots set connected_at = null where account_id = ${server.tenant.accountId}`;
  expect(await fixture.healthOf(server)).toMatchObject({
    ...{ health: 'UNKNOWN', reasons: ['NOT_CONNECTED'] },
  });
  await fixture.connect(server);
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
});

test('a bot that is not in the guild to which the server moved makes it lost', async () => {
  const server = await fixture.newServer();
  const platformGuildId = randomPlatformId();
  await simulator.control('PUT', `/guilds/${platformGuildId}`, {});
  await simulator.control('DELETE', `/guilds/${platformGuildId}`);
  await server.tenant.call('PUT', `/api/v1/servers/${server.serverId}`, {
    body: { platformGuildId },
  });
  await eventually(10_000, async () =>
    expect((await fixture.healthOf(server)).health).toBe('LOST'),
  );
});

test('while a restore replaces everything, the server does not look damaged', async () => {
  const server = await fixture.newServer();
  const { db } = service;
  const restoreId = Bun.randomUUIDv7();
  await db.$client`insert into restores (id, account_id, server_id, backup_id, components, status)
    values (${restoreId}, ${server.tenant.accountId}, ${server.serverId}, ${server.backup.id}, '[]', 'running')`;
  await fixture.destroy(server, { channels: 12 });
  expect((await fixture.healthOf(server)).health).toBe('GOOD');
  await db.$client`update restores set status = 'failed' where id = ${restoreId}`;
  await fixture.reportAll(server);
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
});

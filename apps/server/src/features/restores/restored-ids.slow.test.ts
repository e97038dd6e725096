import { expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { largeGuild } from '../../../test/harness/guilds/large-guild.ts';
import { pruneRestoredIds, recordRestoredIds } from '../servers/restored-ids/queries.ts';
import { resolveRestoredIds } from '../servers/restored-ids/resolve.ts';
import { findUnfinishedIds } from './queries/restored-ids.ts';

const { simulator, service, fixture } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run', 'servers.purge'],
});

type Thing = { id: string; name: string };

const size = { channels: 3, roles: 4, emojis: 1, pictureBytes: 200 };

const newServer = async (): Promise<OwnedGuild> => {
  const server = await fixture.newServer({});
  const guild = largeGuild(server.guildId, size);
  await simulator.control('PUT', `/guilds/${server.guildId}`, guild);
  return server;
};

const channelsOf = async ({ guildId }: OwnedGuild): Promise<Map<string, string>> => {
  const { channels } = await simulator.control('GET', `/guilds/${guildId}`);
  return new Map(channels.map(({ id, name }: Thing) => [name, id]));
};

const resolveChannels = ({ tenant }: OwnedGuild, ids: string[], liveIds: Iterable<string>) =>
  resolveRestoredIds(service.db, tenant.accountId, 'channels', {
    ids,
    liveIds: new Set(liveIds),
  });

test('what a restore made is found by the id it had in the backup, over several restores', async () => {
  const server = await newServer();
  const first = await channelsOf(server);
  const backup = await fixture.takeBackup(server);
  await fixture.restore(server, backup.id);
  const second = await channelsOf(server);
  const later = await fixture.takeBackup(server);
  await fixture.restore(server, later.id);
  const third = await channelsOf(server);
  const name = [...first.keys()][0] ?? '';
  const [x = '', y = '', z = ''] = [first, second, third].map((channels) => channels.get(name));
  expect(new Set([x, y, z]).size).toBe(3);
  expect(await resolveChannels(server, [x], third.values())).toEqual({ [x]: z });
  expect(await resolveChannels(server, [y], third.values())).toEqual({ [y]: z });
  const stranger = await newServer();
  expect(await resolveChannels(stranger, [x], third.values())).toEqual({});
});

/** A restore in which one channel is always refused. */
const restorePartially = async (server: OwnedGuild, backupId: string) => {
  await simulator.control('POST', '/faults', {
    match: { method: 'POST', route: '/guilds/:id/channels', guildId: server.guildId },
    ...{ nth: 2, action: 'status', status: 400, body: { message: 'No', code: 50035 } },
  });
  const done = await fixture.restore(server, backupId);
  expect(done.status).toBe('partial');
  return done;
};

test('what an unfinished restore made is known until a later one is completed', async () => {
  const server = await newServer();
  const { guildId, serverId, tenant } = server;
  const { accountId } = tenant;
  const { id: backupId } = await fixture.takeBackup(server);
  const before = await channelsOf(server);
  await restorePartially(server, backupId);
  const created = [...(await channelsOf(server)).values()];
  const target = { accountId, serverId, backupId, guildId };
  const { channels } = await findUnfinishedIds(service.db, target);
  expect(Object.keys(channels)).toHaveLength(before.size - 1);
  for (const [oldId, newId] of Object.entries(channels)) {
    expect([...before.values()]).toContain(oldId);
    expect(created).toContain(newId);
  }
  const other = await fixture.takeBackup(server);
  const ofOther = await findUnfinishedIds(service.db, { ...target, backupId: other.id });
  expect(ofOther.channels).toEqual({});
  const done = await fixture.restore(server, backupId);
  expect(done).toMatchObject({ status: 'completed', warnings: [] });
  expect((await findUnfinishedIds(service.db, target)).channels).toEqual({});
});

test('the ids that restores gave are bounded, and purged with their server', async () => {
  const { tenant, serverId, guildId } = await newServer();
  const { accountId } = tenant;
  const owner = { accountId, serverId };
  const restoreId = crypto.randomUUID();
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ ...owner, guildId, restoreId, sort: 'roles' as const, isCreated: true },
      oldId: String(from + index),
      newId: String(10_000_000 + from + index),
    }));
  const record = (from: number, count: number) =>
    service.db.transaction((tx) => recordRestoredIds(tx, rows(from, count)));
  const countRows = async (): Promise<number> => {
    const [row] = await service.db.$client`
      select count(*) as total from restored_ids where server_id = ${serverId}`;
    return Number(row.total);
  };
  await record(0, 1000);
  await record(1000, 20_000);
  await service.db.transaction((tx) => pruneRestoredIds(tx, owner));
  expect(await countRows()).toBe(20_000);
  await tenant.call('DELETE', `/api/v1/servers/${serverId}`);
  await eventually(30_000, async () => expect(await countRows()).toBe(0));
});

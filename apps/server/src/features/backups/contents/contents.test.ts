import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { truncate } from 'node:fs/promises';
import { dashboardApiPrefix } from '@holdfast/contract';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { largeGuild, randomPicture } from '../../../../test/harness/guilds/large-guild.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';
import { erasePersonFromBackups } from '../erasure/erasures.ts';

let simulator: TestSimulator;
let service: TestService;
let backups: BackupFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ doesWork: ['backups.run'] });
  backups = createBackupFixture(service, simulator);
});
afterAll(() => service.stop());

const contentsOf = ({ tenant, serverId }: OwnedGuild, backupId: string) =>
  tenant.call('GET', `${backups.backupsOf(serverId)}/${backupId}/contents`);

const viewChannel = '1024';
const structure = { components: ['settings', 'roles', 'channels'] };

/** A guild with a private category, a person let into a channel, and a picture. */
const harbour = async (person: string, nick: string | null = null) => {
  const server = await backups.newServer();
  const { guildId } = server;
  const [crew, bridge, deck, cabin, speaking] = Array.from({ length: 5 }, randomPlatformId);
  const shut = { id: guildId, type: 0, allow: '0', deny: viewChannel };
  await simulator.control('PUT', `/guilds/${guildId}`, {
    guild: { name: 'Harbour', icon: 'a1b2', verification_level: 3 },
    images: { [`icons/${guildId}/a1b2`]: randomPicture(100) },
    members: [{ user: { id: person }, nick, roles: [crew] }],
    bans: [{ user: { id: randomPlatformId() }, reason: `Ask <@${person}>` }],
    roles: [
      { id: guildId, name: '@everyone', permissions: viewChannel },
      { id: crew, name: 'Crew', color: 0x1f8b4c, position: 1, permissions: '3', hoist: true },
    ],
    channels: [
      { id: bridge, type: 4, name: 'Bridge', position: 0, permission_overwrites: [shut] },
      {
        ...{ id: cabin, type: 0, name: 'cabin', position: 1, parent_id: bridge },
        topic: `Ask <@${person}> for the key`,
        permission_overwrites: [
          shut,
          { id: crew, type: 0, allow: '3072', deny: '0' },
          { id: person, type: 1, allow: viewChannel, deny: '0' },
        ],
      },
      { id: speaking, type: 2, name: 'Radio', position: 0, parent_id: bridge },
      { id: deck, type: 0, name: 'deck', position: 5 },
    ],
  });
  return { server, ids: { crew, bridge, deck, cabin, speaking } };
};

describe('the contents of a backup', () => {
  test('are its settings, its roles and its channels by category', async () => {
    const person = randomPlatformId();
    const { server, ids } = await harbour(person);
    const { id } = await backups.takeBackup(server);
    const { status, body, text } = await contentsOf(server, id);
    expect(status).toBe(200);
    const { settings, roles, channels } = body.data;
    expect(settings).toMatchObject({ name: 'Harbour', verificationLevel: 'HIGH' });
    expect(settings.icon).toStartWith('data:image/png;base64,');
    const crew = roles.find(({ platformId }: { platformId: string }) => platformId === ids.crew);
    expect(crew).toMatchObject({
      ...{ name: 'Crew', color: 0x1f8b4c, isHoisted: true },
      permissions: ['CREATE_INSTANT_INVITE', 'KICK_MEMBERS'],
    });
    expect(roles.at(-1).platformId).toBe(server.guildId);
    const names = (list: { name: string }[]) => list.map(({ name }) => name);
    expect(names(channels)).toEqual(['deck', 'Bridge']);
    const [deck, bridge] = channels;
    expect(deck).toMatchObject({ type: 'TEXT', isPrivate: false, children: [] });
    expect(bridge).toMatchObject({ type: 'CATEGORY', isPrivate: true });
    expect(names(bridge.children)).toEqual(['cabin', 'Radio']);
    expect(bridge.children[0]).toMatchObject({
      ...{ platformId: ids.cabin, isPrivate: true, topic: `Ask <@${person}> for the key` },
      overwrites: [
        { platformId: server.guildId, allow: [], deny: ['VIEW_CHANNEL'] },
        { platformId: ids.crew, allow: ['VIEW_CHANNEL', 'SEND_MESSAGES'], deny: [] },
      ],
      overwriteCounts: { roles: 2, members: 1 },
    });
    expect(text.split(person)).toHaveLength(2);
  });

  test('name nobody who was erased', async () => {
    const person = randomPlatformId();
    const { server } = await harbour(person);
    const { id } = await backups.takeBackup(server, structure);
    const { accountId } = server.tenant;
    await service.db.transaction((tx) =>
      erasePersonFromBackups(tx, service.ring, person, [accountId]),
    );
    const { text, body } = await contentsOf(server, id);
    expect(text).not.toContain(person);
    const [cabin] = body.data.channels[1].children;
    expect(cabin).toMatchObject({
      topic: 'Ask @someone for the key',
      overwriteCounts: { roles: 2, members: 0 },
    });
  });

  test('of a part of a guild are that part', async () => {
    const { server } = await harbour(randomPlatformId());
    const { id } = await backups.takeBackup(server, { components: ['roles'] });
    const { body } = await contentsOf(server, id);
    expect(body.data).toMatchObject({ settings: null, channels: [] });
    expect(body.data.roles).not.toEqual([]);
  });

  test('are there only once it is completed, and only under its own server', async () => {
    const { server } = await harbour(randomPlatformId());
    const { id } = await backups.takeBackup(server, structure);
    const other = await backups.newServer(undefined, server.tenant);
    expect((await contentsOf({ ...other }, id)).status).toBe(404);
    await simulator.control('PUT', `/guilds/${server.guildId}`, { botAccess: { isMember: false } });
    const failed = await backups.takeBackup(server, structure);
    expect(failed.status).toBe('failed');
    expect((await contentsOf(server, failed.id)).status).toBe(409);
  });

  test('that cannot be read are refused with the reason', async () => {
    const { server } = await harbour(randomPlatformId());
    const { id, checksum } = await backups.takeBackup(server, structure);
    const manifest = (await backups.filesOf(id)).find(({ hash }) => hash === checksum);
    await truncate(manifest?.path ?? '', 10);
    const { status, body } = await contentsOf(server, id);
    expect(status).toBe(409);
    expect(body.error).toStartWith('The backup cannot be read.');
  });

  test('of the largest guild are whole, but for what nobody reads', async () => {
    const server = await backups.newServer();
    // The bot brings a role of its own.
    const size = { channels: 500, roles: 249, emojis: 0, pictureBytes: 0 };
    const guild = largeGuild(server.guildId, size);
    const overwrites = guild.roles
      .slice(0, 25)
      .map(({ id }) => ({ id, type: 0, allow: '2048', deny: '0' }));
    const channels = guild.channels.map((channel) => ({
      ...channel,
      permission_overwrites: overwrites,
    }));
    await simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, channels });
    const { id } = await backups.takeBackup(server, structure);
    const { status, body } = await contentsOf(server, id);
    expect(status).toBe(200);
    const { roles, channels: tree } = body.data;
    expect(roles).toHaveLength(250);
    const all = tree.flatMap((top: { children: object[] }) => [top, ...top.children]);
    expect(all).toHaveLength(500);
    const listed = all.reduce(
      (sum: number, { overwrites }: { overwrites: object[] }) => sum + overwrites.length,
      0,
    );
    expect(listed).toBe(10_000);
    expect(all.at(-1).overwriteCounts).toEqual({ roles: 25, members: 0 });
  });
});

describe('the download of a backup', () => {
  /** All parts, as the dashboard puts them together. */
  const download = async ({ tenant, serverId }: OwnedGuild, backupId: string, body: object) => {
    const dashboard = await openDashboard(service, tenant);
    const path = `/servers/${serverId}/backups/${backupId}/download`;
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the file holds
    const file: Record<string, any[]> = {};
    let parts = 0;
    for (let after: string | undefined; ; parts++) {
      const { status, body: answer } = await dashboard.call('POST', path, { ...body, after });
      expect(status).toBe(200);
      const { section, entries, next } = answer.data;
      if (section) file[section] = [...(file[section] ?? []), ...entries];
      if (next === null) return { file, parts: parts + 1 };
      after = next;
    }
  };

  const canary = 'walks-the-plank';

  const withPeople = async (person: string) => {
    const { server } = await harbour(person, canary);
    return { server, backup: await backups.takeBackup(server) };
  };

  test('has its structure and pictures, and nobody in it unless that is asked for', async () => {
    const person = randomPlatformId();
    const { server, backup } = await withPeople(person);
    const { file } = await download(server, backup.id, {});
    const text = JSON.stringify(file);
    for (const name of [person, canary]) expect(text).not.toContain(name);
    expect(Object.keys(file)).not.toContain('memberRoles');
    expect(file.settings?.[0].pictures.icon).toStartWith('data:image/png;base64,');
    expect(file.channels).toHaveLength(backup.counts.channels);
    const cabin = file.channels?.find(({ name }) => name === 'cabin');
    expect(cabin.topic).toBe('Ask @someone for the key');
    expect(cabin.overwrites).toHaveLength(2);
  });

  test('with people is whole, without those who were erased', async () => {
    const person = randomPlatformId();
    const { server, backup } = await withPeople(person);
    const { file } = await download(server, backup.id, { withPeople: true });
    expect(JSON.stringify(file.memberRoles)).toContain(canary);
    expect(file.memberRoles).toHaveLength(backup.counts.members);
    const { accountId } = server.tenant;
    await service.db.transaction((tx) =>
      erasePersonFromBackups(tx, service.ring, person, [accountId]),
    );
    const { file: later } = await download(server, backup.id, { withPeople: true });
    for (const name of [person, canary]) expect(JSON.stringify(later)).not.toContain(name);
  });

  test('is recorded once, with whether it had people in it', async () => {
    const { server, backup } = await withPeople(randomPlatformId());
    await download(server, backup.id, { withPeople: true });
    const entries = (await auditOf(server.tenant)).data.filter(
      ({ action }: { action: string }) => action === 'backup.download',
    );
    expect(entries).toMatchObject([{ changes: { withPeople: true } }]);
  });

  test('comes in parts of a bounded size', async () => {
    const server = await backups.newServer();
    const size = { channels: 2, roles: 2, emojis: 40, pictureBytes: 200_000 };
    await simulator.control('PUT', `/guilds/${server.guildId}`, largeGuild(server.guildId, size));
    const { id } = await backups.takeBackup(server);
    const { file, parts } = await download(server, id, {});
    expect(file.emojis).toHaveLength(40);
    for (const { image } of file.emojis ?? []) expect(image).toStartWith('data:image/png');
    expect(parts).toBeGreaterThan(Object.keys(file).length);
  });

  test('becomes one file on its page, of all parts and without people unless they are asked for', async () => {
    const person = randomPlatformId();
    const { server, backup } = await withPeople(person);
    const browser = await openDashboard(service, server.tenant);
    await using page = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const path = new URL(request.url).pathname.slice(dashboardApiPrefix.length);
        const { status, body } = await browser.call(request.method, path, await request.json());
        return Response.json(body, { status });
      },
    });
    // Where the page is open; it is read once.
    Object.assign(globalThis, { location: page.url });
    const { assembleDownload } = await import(
      '../../../../../dashboard/src/pages/backups/assemble-download.ts'
    );
    Reflect.deleteProperty(globalThis, 'location');
    for (const withPeople of [false, true]) {
      const counts: number[] = [];
      const record = { ...backup, serverId: server.serverId };
      const saved = await assembleDownload(record, withPeople, (count) => counts.push(count));
      const { format, version, backup: head, ...sections } = JSON.parse(await saved.text());
      expect({ format, version, head }).toMatchObject({
        format: 'holdfast-backup',
        version: 1,
        head: { id: backup.id, withPeople },
      });
      const { file } = await download(server, backup.id, { withPeople });
      expect(sections).toEqual(file);
      expect(counts.at(-1)).toBe(Object.values(file).flat().length);
      expect(JSON.stringify(sections).includes(person)).toBe(withPeople);
    }
  });

  test('of somebody else, of a place that is none, or with a key is refused', async () => {
    const { server, backup } = await withPeople(randomPlatformId());
    const path = `/servers/${server.serverId}/backups/${backup.id}/download`;
    const stranger = await openDashboard(service, await service.newTenant());
    expect((await stranger.call('POST', path)).status).toBe(404);
    const own = await openDashboard(service, server.tenant);
    const post = async (after: string) => (await own.call('POST', path, { after })).status;
    expect(await post('nonsense')).toBe(400);
    expect(await post(`${backup.checksum}.bans.0`)).toBe(400);
    expect(await post(`${'0'.repeat(64)}.roles.0`)).toBe(409);
    expect((await server.tenant.call('POST', `/api/v1${path}`)).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { truncate } from 'node:fs/promises';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
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
}, 120_000);
afterAll(() => service.stop());

const contentsOf = ({ tenant, serverId }: OwnedGuild, backupId: string) =>
  tenant.call('GET', `${backups.backupsOf(serverId)}/${backupId}/contents`);

const viewChannel = '1024';
const structure = { components: ['settings', 'roles', 'channels'] };

/** A guild with a private category, a person let into a channel, and a picture. */
const harbour = async (person: string) => {
  const server = await backups.newServer();
  const { guildId } = server;
  const [crew, bridge, deck, cabin, speaking] = Array.from({ length: 5 }, randomPlatformId);
  const shut = { id: guildId, type: 0, allow: '0', deny: viewChannel };
  await simulator.control('PUT', `/guilds/${guildId}`, {
    guild: { name: 'Harbour', icon: 'a1b2', verification_level: 3 },
    images: { [`icons/${guildId}/a1b2`]: randomPicture(100) },
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

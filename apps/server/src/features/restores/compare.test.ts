import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../../test/harness/backups/fixture.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
let backups: BackupFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ doesWork: ['backups.run'] });
  backups = createBackupFixture(service, simulator);
});
afterAll(() => service.stop());

const compare = ({ tenant, serverId }: OwnedGuild, backupId: string, query: string) =>
  tenant.call('GET', `${backups.backupsOf(serverId)}/${backupId}/compare${query}`);

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the simulator shows
const guildOf = (guildId: string): Promise<any> => simulator.control('GET', `/guilds/${guildId}`);

/** A channel is gone, one is new, one has another topic, and a role has other permissions. */
const change = async ({ guildId }: OwnedGuild) => {
  const guild = await guildOf(guildId);
  const [gone, edited] = guild.channels.filter(
    ({ type, id }: { type: number; id: string }) =>
      type === 0 && !Object.values(guild.guild).includes(id),
  );
  const role = guild.roles.find(
    ({ id, managed, permissions }: { id: string; managed: boolean; permissions: string }) =>
      id !== guildId && !managed && permissions === '0',
  );
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...guild,
    channels: [
      ...guild.channels
        .filter(({ id }: { id: string }) => id !== gone.id)
        .map((channel: { id: string }) =>
          channel.id === edited.id ? { ...channel, topic: 'Something else' } : channel,
        ),
      { id: randomPlatformId(), type: 0, name: 'flotsam', position: 99 },
    ],
    roles: guild.roles.map((entry: { id: string }) =>
      entry.id === role.id ? { ...entry, permissions: '1024' } : entry,
    ),
  });
  return { gone, edited, role };
};

const byName = (things: { name: string }[]) =>
  things.toSorted((one, other) => (one.name < other.name ? -1 : 1));

const nothing = { create: [], update: [], delete: [], calls: 0 };

describe('comparing a backup', () => {
  test('with itself, and with a server that has not changed, finds no difference', async () => {
    const server = await backups.newServer();
    const { id } = await backups.takeBackup(server);
    for (const other of [id, 'live']) {
      const { status, body } = await compare(server, id, `?with=${other}`);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ backupId: id, serverId: server.serverId, ...nothing });
      expect(body.data.keep).toBeGreaterThan(0);
    }
  });

  test('with the server says what a repair that deletes extras would do', async () => {
    const server = await backups.newServer();
    const { id } = await backups.takeBackup(server);
    const { gone, edited, role } = await change(server);
    const { body } = await compare(server, id, '?with=live');
    expect(body.data.create).toEqual([{ type: 'channel', name: gone.name }]);
    expect(body.data.delete).toEqual([{ type: 'channel', name: 'flotsam' }]);
    expect(body.data.update).toContainEqual({
      ...{ type: 'channel', name: edited.name },
      changes: [{ field: 'topic', from: 'Something else', to: edited.topic }],
    });
    expect(body.data.update).toContainEqual({
      ...{ type: 'role', name: role.name },
      changes: [{ field: 'permissions', from: ['VIEW_CHANNEL'], to: [] }],
    });
  });

  test('with a later backup finds the same as with the server of that moment, asking nobody', async () => {
    const server = await backups.newServer();
    const first = await backups.takeBackup(server);
    await change(server);
    const second = await backups.takeBackup(server);
    const live = (await compare(server, first.id, '?with=live')).body.data;
    const since = (await simulator.control('GET', '/log')).at(-1).seq;
    const stored = (await compare(server, first.id, `?with=${second.id}`)).body.data;
    const calls = (await simulator.control('GET', `/log?since=${since}`)).filter(
      ({ guildId }: { guildId: string }) => guildId === server.guildId,
    );
    expect(calls).toEqual([]);
    expect(stored.keep).toBe(live.keep);
    // Nothing is done, so nothing is to be warned of: not even of channels that only one side has.
    expect([stored.warnings, live.warnings]).toEqual([[], []]);
    for (const part of ['create', 'update', 'delete']) {
      expect({ part, found: byName(stored[part]) }).toEqual({ part, found: byName(live[part]) });
    }
    const back = (await compare(server, second.id, `?with=${first.id}`)).body.data;
    expect(byName(back.create)).toEqual(byName(stored.delete));
    expect(byName(back.delete)).toEqual(byName(stored.create));
  });

  test('leaves out what the other backup does not hold, and says so', async () => {
    const server = await backups.newServer();
    const whole = await backups.takeBackup(server);
    const roles = await backups.takeBackup(server, { components: ['roles'] });
    const { body } = await compare(server, whole.id, `?with=${roles.id}`);
    expect(body.data).toMatchObject(nothing);
    expect(body.data.notes).toHaveLength(1);
    expect(body.data.notes[0]).toMatch(/^Not compared: .*channels.*, member roles/);
  });

  test('needs to know with what: the server, or a completed backup of the same owner', async () => {
    const server = await backups.newServer();
    const { id } = await backups.takeBackup(server);
    for (const query of ['', '?with=', '?with=now', `?with=live&with=${id}`]) {
      const { status, body } = await compare(server, id, query);
      expect({ query, status }).toEqual({ query, status: 400 });
      expect(body.details.fieldErrors.with).toBeDefined();
    }
    const stranger = await backups.newServer();
    const foreign = await backups.takeBackup(stranger, { components: ['roles'] });
    const replies = await Promise.all([
      compare(server, id, `?with=${foreign.id}`),
      compare(server, id, `?with=${crypto.randomUUID()}`),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
    expect(replies[0]?.text).toBe(replies[1]?.text ?? '');
    await simulator.control('PUT', `/guilds/${server.guildId}`, { botAccess: { isMember: false } });
    const failed = await backups.takeBackup(server);
    expect(failed.status).toBe('failed');
    expect((await compare(server, failed.id, '?with=live')).status).toBe(409);
    expect((await compare(server, id, `?with=${failed.id}`)).status).toBe(409);
    expect((await compare(server, id, '?with=live')).status).toBe(409);
  });

  test('of another server of the same owner is found under that server only', async () => {
    const server = await backups.newServer();
    const other = await backups.newServer(undefined, server.tenant);
    const { id } = await backups.takeBackup(server, { components: ['roles'] });
    const { id: otherId } = await backups.takeBackup(other, { components: ['roles'] });
    for (const query of ['?with=live', `?with=${otherId}`]) {
      expect((await compare(other, id, query)).status).toBe(404);
    }
    expect((await compare(server, id, `?with=${otherId}`)).status).toBe(200);
  });
});

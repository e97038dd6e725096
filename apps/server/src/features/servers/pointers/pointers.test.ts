import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  type BackupFixture,
  createBackupFixture,
} from '../../../../test/harness/backups/fixture.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../../test/harness/verification/newcomer.ts';

let fixture: VerificationFixture;
let backups: BackupFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture({
    doesWork: ['backups.run', 'restores.run', 'servers.refresh'],
  });
  backups = createBackupFixture(fixture.service, fixture.simulator);
});
afterAll(() => fixture.stop());

type Thing = { id: string; name: string };
type Guild = {
  roles: Thing[];
  channels: Thing[];
  members: { user: { id: string }; roles: string[] }[];
  messages: { channel_id: string; content: string }[];
};

const readGuild = (guildId: string): Promise<Guild> =>
  fixture.simulator.control('GET', `/guilds/${guildId}`);

const ownedBy = ({ owner, id, guildId }: VerificationServer) => ({
  tenant: owner,
  serverId: id,
  guildId,
});

/** The role and the channel of these names are deleted, as by a person. */
const deleteOnPlatform = async (guildId: string, ...names: string[]) => {
  const live = await readGuild(guildId);
  const left = (things: Thing[]) => things.filter(({ name }) => !names.includes(name));
  const state = { ...live, roles: left(live.roles), channels: left(live.channels) };
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, state);
};

const restore = async (server: VerificationServer, backupId: string, body: object) => {
  const path = `${backups.backupsOf(server.id)}/${backupId}/restore`;
  const reply = await server.owner.call('POST', path, { body });
  expect(reply.status).toBe(202);
  return backups.restored({ tenant: server.owner }, reply.body.data.id);
};

const settingsOf = async ({ owner, id }: VerificationServer) =>
  (await owner.call('GET', `/api/v1/servers/${id}`)).body.data;

const put = async ({ owner, id }: VerificationServer, body: object) => {
  const reply = await owner.call('PUT', `/api/v1/servers/${id}`, { body });
  expect(reply.status).toBe(200);
  return reply.body.data;
};

const alarmsOf = async ({ owner, id }: VerificationServer): Promise<string[]> => {
  const dashboard = await openDashboard(fixture.service, owner);
  const { servers } = (await dashboard.call('GET', '/overview')).body.data;
  return servers.find((server: { id: string }) => server.id === id).brokenPointers;
};

const idOf = (things: Thing[], wanted: string): string | undefined =>
  things.find(({ name }) => name === wanted)?.id;

test.each(['REPAIR', 'REPLACE'])(
  'after a %s of a server whose verified role and log channel were deleted, a newcomer gets the new role',
  async (mode) => {
    const [before, after] = [randomPlatformId(), randomPlatformId()];
    const server = await newVerificationServer(fixture, {}, [before, after]);
    const { logChannelId } = await settingsOf(server);
    const backup = await backups.takeBackup(ownedBy(server));
    await deleteOnPlatform(server.guildId, 'Verified', 'log');

    await walkIn(fixture.newBrowser(), server, before);
    await eventually(10_000, async () =>
      expect(await alarmsOf(server)).toEqual(['verifiedRoleId']),
    );

    const { status } = await restore(server, backup.id, { mode });
    expect(status).toBe('completed');
    const live = await readGuild(server.guildId);
    const expected = {
      verifiedRoleId: idOf(live.roles, 'Verified'),
      logChannelId: idOf(live.channels, 'log'),
    };
    expect(expected.verifiedRoleId).not.toBe(server.roleId);
    expect(await settingsOf(server)).toMatchObject(expected);
    expect(await alarmsOf(server)).toEqual([]);
    const entries: { action: string; actor: object; changes: object }[] = (
      await auditOf(server.owner)
    ).data;
    expect(entries.filter(({ action }) => action === 'server.update')[0]).toMatchObject({
      actor: { type: 'SYSTEM' },
      changes: {
        verifiedRoleId: { from: server.roleId, to: expected.verifiedRoleId },
        logChannelId: { from: logChannelId, to: expected.logChannelId },
      },
    });

    const page = await walkIn(fixture.newBrowser(), server, after);
    expect(page.text).toContain('You are verified');
    await eventually(10_000, async () => {
      const { members, messages } = await readGuild(server.guildId);
      const newcomer = members.find(({ user }) => user.id === after);
      expect(newcomer?.roles).toEqual([expected.verifiedRoleId ?? '']);
      expect(messages.filter(({ channel_id }) => channel_id === expected.logChannelId)).toEqual([
        expect.objectContaining({ content: expect.stringContaining(after) }),
      ]);
    });
  },
);

test('a role that is gone is an alarm until the owner names another one', async () => {
  const server = await newVerificationServer(fixture);
  await deleteOnPlatform(server.guildId, 'Verified');
  await backups.takeBackup(ownedBy(server));
  expect(await alarmsOf(server)).toEqual(['verifiedRoleId']);
  const other = { id: randomPlatformId(), name: 'Other' };
  const live = await readGuild(server.guildId);
  const roles = [...live.roles, other];
  await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, { ...live, roles });
  await put(server, { verifiedRoleId: other.id });
  expect(await alarmsOf(server)).toEqual([]);
});

test('a server that moves away and back without a restore finds its role and channel there', async () => {
  const server = await newVerificationServer(fixture);
  const { verifiedRoleId, logChannelId } = await settingsOf(server);
  const elsewhere = randomPlatformId();
  await fixture.simulator.control('PUT', `/guilds/${elsewhere}`, {});
  await put(server, { platformGuildId: elsewhere });
  expect(await alarmsOf(server)).toEqual(['verifiedRoleId', 'logChannelId']);
  await put(server, { platformGuildId: server.guildId });
  await eventually(10_000, async () => expect(await alarmsOf(server)).toEqual([]));
  expect(await settingsOf(server)).toMatchObject({ verifiedRoleId, logChannelId });
});

test('a server that was restored elsewhere, moved there and came back, has the role of each guild', async () => {
  const server = await newVerificationServer(fixture);
  const { verifiedRoleId, logChannelId } = await settingsOf(server);
  const backup = await backups.takeBackup(ownedBy(server));
  const elsewhere = randomPlatformId();
  await fixture.simulator.control('PUT', `/guilds/${elsewhere}`, {});
  const targetServerId = await createServer(server.owner, { platformGuildId: elsewhere });
  expect((await restore(server, backup.id, { targetServerId })).status).toBe('completed');
  await server.owner.call('DELETE', `/api/v1/servers/${targetServerId}`);

  const moved = await put(server, { platformGuildId: elsewhere });
  const { roles, channels } = await readGuild(elsewhere);
  expect(moved).toMatchObject({
    verifiedRoleId: idOf(roles, 'Verified'),
    logChannelId: idOf(channels, 'log'),
  });
  expect(await alarmsOf(server)).toEqual([]);

  await put(server, { platformGuildId: server.guildId });
  await eventually(10_000, async () =>
    expect(await settingsOf(server)).toMatchObject({ verifiedRoleId, logChannelId }),
  );
  expect(await alarmsOf(server)).toEqual([]);
});

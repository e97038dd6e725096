import { expect, test } from 'bun:test';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { startRestoringService } from '../../../test/harness/restores/by-owner.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';

const { simulator, service, newServer, guildOf, wreck, takeBackup, restore } =
  await startRestoringService();

const names = (things: { name: string }[]) => things.map(({ name }) => name).toSorted();

type Role = { id: string; name: string; permissions: string; tags?: { bot_id?: string } };

/** The bot has in the guild exactly what the limited invite asks for. */
const limitBot = async ({ tenant, guildId, serverId }: Awaited<ReturnType<typeof newServer>>) => {
  const { customBotId } = (await tenant.call('GET', `/api/v1/servers/${serverId}`)).body.data;
  const dashboard = await openDashboard(service, tenant);
  const { clientId, invites } = (await dashboard.call('GET', `/bots/${customBotId}/setup`)).body
    .data;
  const limited = invites.find(({ kind }: { kind: string }) => kind === 'LIMITED');
  const permissions = new URL(limited.url).searchParams.get('permissions') ?? '';
  const guild = await guildOf(guildId);
  const roles = guild.roles.map((role: Role) =>
    role.tags?.bot_id === clientId ? { ...role, permissions } : role,
  );
  expect(roles).not.toEqual(guild.roles);
  await simulator.control('PUT', `/guilds/${guildId}`, { ...guild, roles });
};

const viewChannel = 1024n;

/** The names of channels that not everybody sees. */
const privateOf = ({ guild, channels }: { guild: { id: string }; channels: Room[] }) =>
  names(
    channels.filter(({ permission_overwrites: all }) =>
      all.some(({ id, deny }) => id === guild.id && (BigInt(deny) & viewChannel) !== 0n),
    ),
  );

type Room = { name: string; permission_overwrites: { id: string; deny: string }[] };

test('a restore by a bot of the limited invite brings back what it can, and names the rest', async () => {
  const server = await newServer();
  const { tenant, guildId, serverId } = server;
  await limitBot(server);
  const backup = await takeBackup(tenant, serverId);
  expect(backup.warnings).toEqual([]);
  const before = await wreck(guildId);
  const wrecked = await guildOf(guildId);
  const closed = {
    ...{ id: randomPlatformId(), type: 0, name: 'closed', position: 9 },
    permission_overwrites: [{ id: guildId, type: 0, allow: '0', deny: `${viewChannel}` }],
  };
  const channels = [...wrecked.channels, closed];
  const gone = { emojis: [], stickers: [] };
  await simulator.control('PUT', `/guilds/${guildId}`, { ...wrecked, ...gone, channels });

  const done = await restore(tenant, serverId, backup.id);
  expect(done).toMatchObject({ status: 'partial', error: null, steps: { failed: 0 } });
  const lost = [
    'role Admin: the bot cannot give what it does not have: administrator',
    'role Moderator: the bot cannot give what it does not have: manage messages, mute members',
    'role Helper: the bot cannot give what it does not have: manage messages',
    'channel closed: it was there before and should go, but the bot has no access to it',
  ];
  expect(done.warnings).toEqual(lost);
  const after = await guildOf(guildId);
  expect(names(after.channels)).toEqual(names([...before.channels, closed]));
  expect(privateOf(after)).toEqual([...privateOf(before), 'closed'].toSorted());
  expect(names(after.roles)).toEqual(names(before.roles));
  const powerOf = (roles: Role[]) => new Map(roles.map((one) => [one.name, one.permissions]));
  const weaker = [...powerOf(before.roles)].filter(
    ([name, permissions]) => powerOf(after.roles).get(name) !== permissions,
  );
  expect(weaker.map(([name]) => name).toSorted()).toEqual(['Admin', 'Helper', 'Moderator']);
  for (const part of ['bans', 'automod', 'webhooks', 'emojis', 'stickers', 'events']) {
    expect([part, after[part].length]).toEqual([part, before[part].length]);
  }
});

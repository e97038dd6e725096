import { health } from '../../src/features/health/feature.ts';
import type { GuildEvent } from '../../src/platform/gateway/events.ts';
import type { BackupFixture, OwnedGuild } from './backups/fixture.ts';
import { openDashboard } from './dashboard/session.ts';
import type { TestService } from './service.ts';
import type { TestSimulator } from './simulator/start.ts';

type Thing = { id: string; name: string; managed?: boolean };

const things = (sort: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${sort}${100 + at}`, name: `thing-${at}` }));

/** Twelve channels and ten roles, the last of them an integration's. */
export const harbour = () => ({
  channels: things('71', 12).map((channel) => ({ ...channel, type: 0 })),
  roles: things('72', 10).map((role, at) => ({ ...role, permissions: '0', managed: at === 9 })),
});

/** What is reported of guilds reaches the service as events, by the state that the simulator has. */
export const createHealthFixture = (
  service: TestService,
  simulator: TestSimulator,
  backups: BackupFixture,
) => {
  const { followGuilds } = health.create(service);
  const botOf = async ({ tenant, serverId }: OwnedGuild) => {
    const { body } = await tenant.call('GET', `/api/v1/servers/${serverId}`);
    return { botId: body.data.customBotId, accountId: tenant.accountId };
  };
  const report = async (server: OwnedGuild, ...events: GuildEvent[]) => {
    const bot = await botOf(server);
    await service.db.transaction((tx) => followGuilds(tx, bot, events));
  };
  const readGuild = ({ guildId }: OwnedGuild) => simulator.control('GET', `/guilds/${guildId}`);

  const reportAll = async (server: OwnedGuild) => {
    const { guildId } = server;
    const { channels, roles, members } = await readGuild(server);
    await report(server, {
      ...{ kind: 'guildAvailable', guildId, name: 'Harbour', iconHash: null, ownerId: '1' },
      memberCount: members.length,
      channelIds: channels.map(({ id }: Thing) => id),
      roles: roles.map(({ id, managed }: Thing) => ({
        ...{ id, isManaged: managed === true, permissions: '0' },
      })),
    });
  };

  /** As if the bot had a connection. */
  const connect = async (server: OwnedGuild) => {
    const { botId } = await botOf(server);
    await service.db.$client`update bots set connected_at = now() where id = ${botId}`;
  };

  return {
    connect,
    report,
    reportAll,
    readGuild,

    /** A server with a backup, whose guild was seen in full. */
    async newServer(guild: object = harbour(), owner?: OwnedGuild['tenant']) {
      const server = await backups.newServer(guild, owner);
      await connect(server);
      const backup = await backups.takeBackup(server);
      await reportAll(server);
      return { ...server, backup };
    },

    /** Deletes them in the guild, and reports each. */
    async destroy(server: OwnedGuild, counts: { channels?: number; roles?: number }) {
      const guild = await readGuild(server);
      const { guildId } = server;
      const channels: Thing[] = guild.channels.slice(0, counts.channels ?? 0);
      const own = guild.roles.filter((role: Thing) => role.id !== guildId && !role.managed);
      const roles: Thing[] = own.slice(0, counts.roles ?? 0);
      const gone = new Set([...channels, ...roles].map(({ id }) => id));
      const left = (all: Thing[]) => all.filter(({ id }) => !gone.has(id));
      await simulator.control('PUT', `/guilds/${guildId}`, {
        ...guild,
        ...{ channels: left(guild.channels), roles: left(guild.roles) },
      });
      await report(
        server,
        ...channels.map(({ id }) => ({ kind: 'channelDeleted' as const, guildId, channelId: id })),
        ...roles.map(({ id }) => ({ kind: 'roleDeleted' as const, guildId, roleId: id })),
      );
    },

    /** In the dashboard, where it takes effect at once. */
    accept: async ({ tenant, serverId }: OwnedGuild) =>
      (await openDashboard(service, tenant)).call('POST', `/servers/${serverId}/health/accept`),

    /** The server's record, with the codes of its reasons. */
    async healthOf({ tenant, serverId }: OwnedGuild) {
      const { body } = await tenant.call('GET', `/api/v1/servers/${serverId}`);
      const { health: found, healthReasons, lastGoodBackupId } = body.data;
      const reasons = healthReasons.map(({ code }: { code: string }) => code);
      return { health: found, reasons, lastGoodBackupId };
    },

    lastGoodOf: async ({ tenant, serverId }: OwnedGuild) =>
      (await tenant.call('GET', `/api/v1/servers/${serverId}`)).body.data.lastGoodBackupId,
  };
};

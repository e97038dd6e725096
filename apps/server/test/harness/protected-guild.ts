import { guildActs, protectionSettings } from '../../src/features/protection/table.ts';
import { permission } from '../../src/platform/permissions.ts';
import { createServer } from './bots-and-servers.ts';
import { eventually } from './eventually.ts';
import type { GatewayFixture, TestBot } from './gateway.ts';
import { memberOf } from './pulls/roles.ts';
import { randomPlatformId } from './service.ts';

type Settings = Partial<typeof protectionSettings.$inferInsert>;
export type ProtectedGuild = Awaited<ReturnType<typeof newProtectedGuild>>;

type FourIds = [string, string, string, string];

const power =
  permission.manageChannels |
  permission.manageRoles |
  permission.manageWebhooks |
  permission.banMembers |
  permission.kickMembers |
  permission.manageGuild |
  permission.manageExpressions;

const channelsOf = (guildId: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{
      id: randomPlatformId(),
      type: 0,
      name: `room-${index}`,
      guild_id: guildId,
      position: index,
    },
  }));

/**
 * A server that is protected, in whose guild people with these roles act. All but `Pink` give power; all
 * are below the bot's own role.
 */
export const newProtectedGuild = async (
  fixture: GatewayFixture,
  given: { bot?: TestBot; channels?: number; settings?: Settings; switches?: object } = {},
) => {
  const { simulator, service } = fixture;
  const bot = given.bot ?? (await fixture.newBot());
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const path = `/guilds/${guildId}`;
  await eventually(15_000, async () => {
    const heard = await fixture.heard(bot, 'guildAvailable');
    if (!heard.includes(guildId)) throw new Error('The bot is not connected yet');
  });
  const state = await simulator.control('GET', path);
  const [pink, guard, mod, chief] = Array.from({ length: 4 }, randomPlatformId) as FourIds;
  const role = { color: 0, hoist: false, mentionable: false, managed: false };
  const roles = [
    ...state.roles,
    { ...role, id: pink, name: 'Pink', permissions: '0', position: 1 },
    { ...role, id: guard, name: 'Guard', permissions: `${permission.banMembers}`, position: 2 },
    { ...role, id: mod, name: 'Mod', permissions: `${power}`, position: 3 },
    { ...role, id: chief, name: 'Chief', permissions: `${power}`, position: 4 },
  ];
  const channels = channelsOf(guildId, given.channels ?? 12);
  await simulator.control('PUT', path, { ...state, roles, channels });
  // Before there is a server: else the channels of before would count as lost.
  await eventually(15_000, async () => {
    const heard = await fixture.heard(bot, 'channelDeleted');
    const gone = heard.filter((id) => id === guildId).length;
    if (gone < state.channels.length) throw new Error('The new channels are not heard of yet');
  });
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const { accountId } = owner;
  // By SQL: what weakens protection waits.
  await service.db.insert(protectionSettings).values({ serverId, accountId, ...given.settings });
  const body = given.switches ?? { antiNukeEnabled: true };
  const turnedOn = await owner.call('PUT', `/api/v1/servers/${serverId}/protection`, { body });
  if (turnedOn.status !== 200) throw new Error(`Not protected: ${turnedOn.text}`);

  const now = () => simulator.control('GET', path);
  const call = async (
    personId: string,
    method: string,
    below: string,
    body?: object,
    reason?: string,
  ) => {
    const headers = {
      authorization: `Bot ${btoa(personId)}.token-value`,
      ...(reason && { 'x-audit-log-reason': encodeURIComponent(reason) }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const reply = await fetch(`${simulator.apiUrl}/v10${below}`, init);
    await reply.arrayBuffer();
    return reply.status;
  };
  return {
    ...{ bot, owner, guildId, serverId, pink, guard, mod, chief, call, now },
    ownerId: String(state.guild.owner_id),
    channelIds: channels.map(({ id }) => id),
    /** Somebody new in the guild, with these roles. */
    async join(
      roleIds: string[] = [mod, pink],
      { isBot = false, platformId = randomPlatformId() } = {},
    ): Promise<string> {
      const { members, ...guild } = await now();
      const person = memberOf({ id: '', platformId }, { nick: null, roles: roleIds });
      const user = { ...person.user, bot: isBot };
      await simulator.control('PUT', path, {
        ...guild,
        members: [...members, { ...person, user }],
      });
      return platformId;
    },
    async rolesOf(personId: string): Promise<string[] | undefined> {
      const { members } = await now();
      return members.find(({ user }: { user: { id: string } }) => user.id === personId)?.roles;
    },
    /** As if it had been done so many seconds ago. */
    async insertAct(executorId: string, kind: string, secondsAgo: number): Promise<void> {
      await service.db.insert(guildActs).values({
        ...{ serverId, accountId, guildId, entryId: randomPlatformId(), executorId, kind },
        ...{ action: 'other', at: new Date(Date.now() - secondsAgo * 1000) },
      });
    },
    deleteChannel: (personId: string, id: string, reason?: string) =>
      call(personId, 'DELETE', `/channels/${id}`, undefined, reason),
    async incidents() {
      const { body } = await owner.call('GET', `/api/v1/servers/${serverId}/incidents`);
      return body.data;
    },
    /** The incident, once it is contained with so many executors, and none waits to be stopped. */
    contained(executors = 1) {
      return eventually(15_000, async () => {
        const [incident, ...others] = await this.incidents();
        if (incident?.status !== 'contained' || incident.executors.length < executors) {
          throw new Error(`Not contained: ${JSON.stringify([incident, ...others])}`);
        }
        const waiting = await service.db.$client`
          select 1 from incident_executors where incident_id = ${incident.id} and status = 'pending'`;
        if (waiting.length > 0) throw new Error('Somebody is being stopped');
        return incident;
      });
    },
    /** The incident, once somebody in it could not be stopped, and none waits to be. */
    notStopped() {
      return eventually(15_000, async () => {
        const [incident] = await this.incidents();
        const isTried = incident?.executors.some((one: { notStopped: unknown }) => one.notStopped);
        if (incident?.status !== 'open' || !isTried) {
          throw new Error(`Not tried: ${JSON.stringify(incident)}`);
        }
        const waiting = await service.db.$client`
          select 1 from incident_executors where incident_id = ${incident.id} and status = 'pending'`;
        const told = await service.db.$client`
          select 1 from incident_steps where incident_id = ${incident.id} and kind = 'ALERT'`;
        if (waiting.length > 0 || told.length === 0) throw new Error('Somebody is being stopped');
        return incident;
      });
    },
    async isOwnerKnown(): Promise<boolean> {
      const [row] = await service.db.$client`
        select owner_id from watched_guilds where server_id = ${serverId}`;
      return (row?.owner_id ?? null) !== null;
    },
    /** Who the bot takes for the owner is who owns the guild now. */
    ownerFollowed: () =>
      eventually(15_000, async () => {
        const [row] = await service.db.$client`
          select owner_id from watched_guilds where server_id = ${serverId}`;
        const { guild } = await now();
        if (row?.owner_id !== guild.owner_id) throw new Error('The owner is not known yet');
      }),
    /** Something harmless was done, and by now the bot knows who has power. */
    async known(): Promise<void> {
      const { guild, channels: rooms } = await now();
      const { seq } = (await simulator.control('GET', '/log')).at(-1);
      await call(guild.owner_id, 'PATCH', `/channels/${rooms[0].id}`, { topic: 'Welcome' });
      const [all, own] = [`${path}/members?`, `${path}/members/${bot.platformId}`];
      await eventually(10_000, async () => {
        const rows: { path: string; status: number | null }[] = await simulator.control(
          ...(['GET', `/log?since=${seq}`] as const),
        );
        const isRead = (start: string) =>
          rows.some((row) => row.path.startsWith(start) && row.status === 200);
        if (!isRead(all) || !isRead(own)) throw new Error('The members are not read yet');
      });
    },
    /** Everything that was done so far is stored and judged. */
    async settled(): Promise<void> {
      const headers = { authorization: `Bot ${bot.token}` };
      const url = `${simulator.apiUrl}/v10${path}/audit-logs?limit=1`;
      const log = await (await fetch(url, { headers })).json();
      await eventually(10_000, async () => {
        const [row] = await service.db.$client`
          select last_entry_id from watched_guilds where server_id = ${serverId}`;
        const last = BigInt(row?.last_entry_id ?? 0);
        if (last < BigInt(log.audit_log_entries[0].id)) throw new Error('Not heard yet');
      });
    },
  };
};

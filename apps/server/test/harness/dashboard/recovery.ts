import type { Holdfast } from '@holdfast/sdk';
import type { LocalService } from '../local-service.ts';

type Demo = { service: LocalService; holdfast: Holdfast; serverId: string; guildId: string };

type Named = { id: string; name: string };
type Channel = Named & { type: number; parent_id: string | null };
type Role = Named & { managed: boolean; permissions: string };
type Member = { user: { id: string }; roles: string[] };
type Guild = { roles: Role[]; channels: Channel[]; members: Member[] };

/** A guild by names, whatever ids its things have. */
export type Community = {
  channels: string[];
  roles: string[];
  members: Record<string, string[]>;
};

export const communityOf = async (
  { control }: Pick<LocalService, 'control'>,
  guildId: string,
): Promise<Community> => {
  const { roles, channels, members }: Guild = await control('GET', `/guilds/${guildId}`);
  const channelNames = new Map(channels.map(({ id, name }) => [id, name]));
  const own = roles.filter(({ managed }) => !managed);
  const roleNames = new Map(own.map(({ id, name }) => [id, name]));
  const rolesOf = (ids: string[]) => ids.flatMap((id) => roleNames.get(id) ?? []).sort();
  return {
    channels: channels
      .map(({ type, name, parent_id: parent }) =>
        [channelNames.get(parent ?? '') ?? '', type, name].join('/'),
      )
      .sort(),
    roles: [...roleNames.values()].sort(),
    members: Object.fromEntries(members.map(({ user, roles: held }) => [user.id, rolesOf(held)])),
  };
};

const settledCount = 12;
const heldRoles = ['Member', 'Regular'];

/** Members who verified and agreed to be brought back are in the guild, with roles. */
export const settleMembers = async ({
  service,
  holdfast,
  serverId,
  guildId,
}: Demo): Promise<string[]> => {
  const { data } = await holdfast.listMembers({
    params: { id: serverId },
    query: { pullable: true, limit: settledCount },
  });
  const settled = data.map(({ platformId }) => platformId);
  const guild: Guild = await service.control('GET', `/guilds/${guildId}`);
  const roles = guild.roles.filter(({ name }) => heldRoles.includes(name)).map(({ id }) => id);
  const members = settled.map((id, at) => ({ user: { id }, roles: roles.slice(0, 1 + (at % 2)) }));
  await service.control('PUT', `/guilds/${guildId}`, {
    ...guild,
    members: [...guild.members, ...members],
  });
  return settled;
};

const expelledCount = 4;

/** As an attacker leaves it: channels and roles are gone, and some who verified were thrown out. */
export const strike = async ({ service, guildId }: Demo, settled: string[]): Promise<string[]> => {
  const expelled = settled.slice(0, expelledCount);
  const guild: Guild = await service.control('GET', `/guilds/${guildId}`);
  const isStruck = ({ name }: Named) => heldRoles.includes(name);
  const gone = new Set(guild.roles.filter(isStruck).map(({ id }) => id));
  await service.control('PUT', `/guilds/${guildId}`, {
    ...guild,
    roles: guild.roles.filter(({ id }) => !gone.has(id)),
    channels: guild.channels.slice(0, guild.channels.length / 2),
    members: guild.members
      .filter(({ user }) => !expelled.includes(user.id))
      .map((member) => ({ ...member, roles: member.roles.filter((id) => !gone.has(id)) })),
  });
  return expelled;
};

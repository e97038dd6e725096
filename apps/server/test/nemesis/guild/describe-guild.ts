import type { Channel } from '@holdfast/simulator';
import type { GuildState } from './guild.ts';

/** Identifies a channel and its copy, which has another id; unique in our guild. */
export const identityOf = ({ type, name, topic }: Pick<Channel, 'type' | 'name' | 'topic'>) =>
  `${name} (${type}, ${topic ?? ''})`;

const view = 1n << 10n;
const administrator = 1n << 3n;

/** What the platform shows somebody who has no role but @everyone. */
export const isVisible = (
  guildId: string,
  everyonePermissions: string,
  { permission_overwrites: overwrites }: Pick<Channel, 'permission_overwrites'>,
): boolean => {
  const granted = BigInt(everyonePermissions);
  if ((granted & administrator) !== 0n) return true;
  const own = overwrites.find(({ id }) => id === guildId);
  return (((granted & ~BigInt(own?.deny ?? 0)) | BigInt(own?.allow ?? 0)) & view) !== 0n;
};

/**
 * A guild without ids. Made from the simulator's state, so that no code of the service takes part in the
 * comparison.
 */
const describeGuild = (state: GuildState) => {
  const roleNames = new Map(state.roles.map(({ id, name }) => [id, name]));
  const identities = new Map(state.channels.map((channel) => [channel.id, identityOf(channel)]));
  const channelAt = (id: string | null) => (id === null ? null : (identities.get(id) ?? 'nowhere'));
  const { guild } = state;
  return {
    settings: {
      name: guild.name,
      features: guild.features.toSorted(),
      system: channelAt(guild.system_channel_id),
      afk: channelAt(guild.afk_channel_id),
      rules: channelAt(guild.rules_channel_id),
      updates: channelAt(guild.public_updates_channel_id),
      filter: guild.explicit_content_filter,
    },
    roles: state.roles
      .filter(({ managed }) => !managed)
      .sort((one, other) => one.position - other.position)
      .map(({ name, color, hoist, mentionable, permissions }) =>
        [name, color, hoist, mentionable, permissions].join(' | '),
      ),
    channels: state.channels
      .map((channel) => describeChannel(channel, channelAt(channel.parent_id), roleNames))
      .sort(),
    order: describeOrder(state),
    emojis: state.emojis.map(({ name }) => name).sort(),
    bans: state.bans.map(({ user, reason }) => `${user.id}: ${reason}`).sort(),
    members: state.members
      .map(({ user, nick, roles }) => {
        const held = roles.map((id) => roleNames.get(id) ?? id).sort();
        return `${user.id}: ${nick} ${held.join(', ')}`;
      })
      .sort(),
  };
};

const describeChannel = (
  channel: Channel,
  parent: string | null,
  roleNames: Map<string, string>,
): string => {
  const overwrites = channel.permission_overwrites
    .map(({ id, allow, deny }) => `${roleNames.get(id) ?? id} +${allow} -${deny}`)
    .sort();
  const tags = channel.available_tags?.map(({ name, moderated }) => `${name} ${moderated}`);
  const { nsfw = false, rate_limit_per_user: slow = 0, bitrate, user_limit: limit } = channel;
  const fields = { in: parent, overwrites, tags, nsfw, slow, bitrate, limit };
  return `${identityOf(channel)} ${JSON.stringify(fields)}`;
};

const voiceTypes = [2, 13];
const categoryType = 4;

/** The order of channels with the same parent and kind. */
const describeOrder = ({ channels }: GuildState): Record<string, string[]> => {
  const names = new Map(channels.map((channel) => [channel.id, identityOf(channel)]));
  const sortOf = ({ type }: Channel) => {
    if (type === categoryType) return 'categories';
    return voiceTypes.includes(type) ? 'voice' : 'text';
  };
  const groups = Map.groupBy(
    channels.toSorted((one, other) => one.position - other.position),
    (channel) => `${sortOf(channel)} in ${names.get(channel.parent_id ?? '') ?? 'the server'}`,
  );
  return Object.fromEntries(
    [...groups].sort().map(([group, members]) => [group, members.map(identityOf)]),
  );
};

/** The differences between two guilds, for people. */
export const findDifferences = (expected: GuildState, found: GuildState): string[] => {
  const before = describeGuild(expected);
  const after = describeGuild(found);
  const parts = Object.keys(before) as (keyof typeof before)[];
  return parts.flatMap((part) => {
    const lost = linesOf(before[part]).filter((line) => !linesOf(after[part]).includes(line));
    const extra = linesOf(after[part]).filter((line) => !linesOf(before[part]).includes(line));
    const isSame = JSON.stringify(before[part]) === JSON.stringify(after[part]);
    if (isSame) return [];
    const told = `lacks ${lost.join('; ') || 'nothing'}, has besides ${extra.join('; ') || 'nothing'}`;
    return [`${part} not as in the backup: ${told}`];
  });
};

const linesOf = (part: object): string[] =>
  Array.isArray(part) ? part : Object.entries(part).map(([name, value]) => `${name}: ${value}`);

import type { Channel } from '@holdfast/simulator';
import { type SimulatedGuild, typeOf } from './guild-state.ts';

/** Which bots' roles and which people the target has. */
type Target = { botIds?: ReadonlySet<string>; userIds?: ReadonlySet<string> };

/**
 * A guild without ids of roles, channels, tags or pictures: each is named by its position or its content.
 * Two guilds are equal if their summaries are; no code of the service takes part. What a restore cannot
 * bring into the target is left out.
 */
export const summarizeGuild = (state: SimulatedGuild, target: Target = {}) => {
  const names = nameEverything(state, target);
  const managed = new Set(state.roles.flatMap((role) => (role.managed ? [role.id] : [])));
  // Only the platform gives a bot's role, when the bot joins.
  const givable = new Map([...names.roles].filter(([id]) => !managed.has(id)));
  const people = state.members.filter(({ user }) => target.userIds?.has(user.id) ?? true);
  return {
    settings: settingsLikeness(state),
    roles: rolesByRank(state).flatMap((role) => roleLikeness(role, names)),
    channels: Object.fromEntries(
      [...channelPlaces(state)].map(([place, channel]) => [place, channelLikeness(channel, names)]),
    ),
    emojis: [...names.emojis.values()].sort(),
    stickers: state.stickers
      .map(({ id, name, description, tags, format_type }) =>
        [name, description || null, tags, format_type, pictureAt(state, `stickers/${id}`)].join(),
      )
      .sort(),
    bans: state.bans.map(({ user, reason }) => `${user.id} ${reason}`).sort(),
    members: people
      .map(({ user, nick, roles }) => `${user.id} ${nick} ${namesOf(roles, givable)}`)
      .sort(),
  };
};

type Names = { roles: Map<string, string>; emojis: Map<string, string> };

const nameEverything = (state: SimulatedGuild, { botIds }: Target): Names => {
  const roles = new Map<string, string>();
  const own = rolesByRank(state).filter(({ managed }) => !managed);
  for (const [rank, { id }] of own.entries()) {
    roles.set(id, id === state.guild.id ? '@everyone' : `role ${rank}`);
  }
  for (const { id, managed, tags } of state.roles) {
    const botId = tags?.bot_id ?? '';
    if (managed && (botIds?.has(botId) ?? true)) roles.set(id, `role of ${botId}`);
  }
  const emojis = state.emojis.map(({ id, name, animated, roles: some }) => {
    const picture = pictureAt(state, `emojis/${id}`);
    return [id, [name, animated, picture, ...namesOf(some, roles)].join()] as const;
  });
  return { roles, emojis: new Map(emojis) };
};

const namesOf = (ids: string[], names: Map<string, string>): string[] =>
  ids.flatMap((id) => names.get(id) ?? []).sort();

const pictureAt = ({ images }: SimulatedGuild, key: string): string => {
  const picture = images[key];
  return picture ? `${picture.mime} ${picture.base64}` : 'no picture';
};

const without = (thing: object, fields: string[]) =>
  Object.fromEntries(Object.entries(thing).filter(([field]) => !fields.includes(field)));

const rolesByRank = ({ roles }: SimulatedGuild) =>
  roles.toSorted(
    (one, other) => one.position - other.position || (BigInt(one.id) < BigInt(other.id) ? 1 : -1),
  );

/** Only the position of a bot's role counts: the rest belongs to the bot. */
const roleLikeness = (role: SimulatedGuild['roles'][number], { roles }: Names) => {
  const name = roles.get(role.id);
  if (name === undefined) return [];
  return [role.managed ? name : without(role, ['id', 'position'])];
};

const settingsLikeness = (state: SimulatedGuild) => {
  const { id, icon, features } = state.guild;
  const places = new Map([...channelPlaces(state)].map(([place, channel]) => [channel.id, place]));
  const named = Object.entries(without(state.guild, ['id', 'owner_id'])).map(([field, value]) => [
    field,
    field.endsWith('channel_id') && value !== null ? places.get(String(value)) : value,
  ]);
  return {
    ...Object.fromEntries(named),
    features: features.toSorted(),
    icon: icon === null ? null : pictureAt(state, `icons/${id}/${icon}`),
  };
};

const channelLikeness = (channel: Channel, { roles, emojis }: Names) => {
  const { permission_overwrites, available_tags = [], default_reaction_emoji } = channel;
  const emojiOf = (emoji: { emoji_id: string | null; emoji_name: string | null }) =>
    emoji.emoji_id === null ? emoji.emoji_name : emojis.get(emoji.emoji_id);
  const overwrites = permission_overwrites.flatMap(({ id, type, allow, deny }) => {
    // It says nothing.
    if (allow === '0' && deny === '0') return [];
    const whose = type === 1 ? `member ${id}` : roles.get(id);
    return whose === undefined ? [] : [`${whose} +${allow} -${deny}`];
  });
  return {
    ...without(channel, ['id', 'guild_id', 'position', 'parent_id']),
    permission_overwrites: overwrites.sort(),
    available_tags: available_tags.map((tag) => [tag.name, tag.moderated, emojiOf(tag)]),
    default_reaction_emoji: default_reaction_emoji ? emojiOf(default_reaction_emoji) : null,
  };
};

const groupOf = ({ type }: Channel): 'category' | 'voice' | 'text' => {
  if (type === typeOf.category) return 'category';
  return type === typeOf.voice || type === typeOf.stage ? 'voice' : 'text';
};

/** Every channel by its kind, its category and its position there. */
export const channelPlaces = ({ channels }: SimulatedGuild): Map<string, Channel> => {
  const sorted = channels.toSorted(
    (one, other) => one.position - other.position || (BigInt(one.id) < BigInt(other.id) ? -1 : 1),
  );
  const places = new Map<string, Channel>();
  const counts = new Map<string, number>();
  const placeById = new Map<string, string>();
  const settle = (channel: Channel) => {
    const parent =
      channel.parent_id === null ? '' : (placeById.get(channel.parent_id) ?? 'nowhere');
    const group = `${parent}/${groupOf(channel)}`;
    const count = counts.get(group) ?? 0;
    counts.set(group, count + 1);
    places.set(`${group} ${count}`, channel);
    placeById.set(channel.id, `${group} ${count}`);
  };
  for (const channel of sorted) if (groupOf(channel) === 'category') settle(channel);
  for (const channel of sorted) if (groupOf(channel) !== 'category') settle(channel);
  return places;
};

import { ChannelType, newChannel } from '../channel/fields.ts';
import type { Channel, Guild, Overwrite, StoredImage } from '../guild/guild.ts';
import {
  ADMINISTRATOR_ACCESS,
  newEmoji,
  newGuild,
  newMember,
  newMessage,
  newRole,
  newSticker,
} from '../guild/new-guild.ts';
import { Permission } from '../guild/permissions.ts';
import { addMember } from '../guild/world.ts';
import { isSnowflake, timeOfSnowflake } from '../snowflakes.ts';
import {
  BAN_REASONS,
  COMMUNITY_NAMES,
  EMOJI_NAMES,
  NICKNAMES,
  PLANNED_CATEGORIES,
  PLANNED_ROLES,
  type PlannedChannel,
} from './content.ts';
import { makeCommunity } from './demo-community.ts';
import { makeConversations } from './demo-conversations.ts';
import {
  createDemoIds,
  createSeededRandom,
  type GuildBuilder,
  pickDrawnImage,
} from './guild-builder.ts';

const MEMBER_COUNT = 30;
const BAN_COUNT = 3;

/** A plausible community for a guild id, always the same one for the same id. */
export const makeDemoGuild = (
  id: string,
  ownerId: string,
  images: Map<string, StoredImage>,
): Guild | undefined => {
  if (!isSnowflake(id)) return undefined;
  const random = createSeededRandom(id);
  const guild = newGuild(id, ownerId, ADMINISTRATOR_ACCESS);
  const builder = { guild, random, nextId: createDemoIds(id, random), roleIds: new Map(), images };
  guild.settings.name = `${random.pick(COMMUNITY_NAMES)} ${id.slice(-3)}`;
  guild.settings.description = 'A community made up by the simulator.';
  makeRoles(builder);
  makeChannels(builder);
  makeMembers(builder);
  makeExpressions(builder);
  makeMessages(builder);
  makeConversations(builder);
  makeCommunity(builder);
  return guild;
};

const makeRoles = ({ guild, nextId, roleIds }: GuildBuilder) => {
  for (const [index, planned] of PLANNED_ROLES.entries()) {
    const id = nextId();
    roleIds.set(planned.name, id);
    const role = newRole(id, planned.name, {
      color: planned.color,
      hoist: planned.isHoisted,
      permissions: planned.permissions.toString(),
      mentionable: planned.isMentionable ?? false,
      managed: planned.isManaged ?? false,
      position: index + 1,
    });
    if (planned.isManaged) role.tags = { bot_id: nextId() };
    guild.roles.set(id, role);
  }
};

const makeChannels = (builder: GuildBuilder) => {
  const { guild, nextId } = builder;
  const positions = { text: 0, voice: 0 };
  for (const [position, planned] of PLANNED_CATEGORIES.entries()) {
    const category = newChannel(nextId(), guild.id, ChannelType.Category, planned.name);
    category.position = position;
    category.permission_overwrites = restrict(builder, Permission.ViewChannel, planned.onlyFor);
    guild.channels.set(category.id, category);
    for (const plannedChannel of planned.channels) {
      const channel = makeChannel(builder, category, plannedChannel);
      channel.position = 'bitrate' in channel ? positions.voice++ : positions.text++;
      guild.channels.set(channel.id, channel);
    }
  }
  setSpecialChannels(guild);
};

const makeChannel = (
  builder: GuildBuilder,
  category: Channel,
  planned: PlannedChannel,
): Channel => {
  const { guild, nextId } = builder;
  const channel = newChannel(nextId(), guild.id, planned.type, planned.name);
  channel.parent_id = category.id;
  if (planned.topic) channel.topic = planned.topic;
  if (planned.slowmodeS) channel.rate_limit_per_user = planned.slowmodeS;
  if (planned.tags) {
    channel.available_tags = planned.tags.map((name) => ({
      id: nextId(),
      name,
      moderated: name === 'Solved',
      emoji_id: null,
      emoji_name: null,
    }));
  }
  const own = [
    ...restrict(builder, Permission.ViewChannel, planned.onlyFor),
    ...restrict(builder, Permission.SendMessages, planned.writtenBy),
  ];
  channel.permission_overwrites = own.length
    ? own
    : category.permission_overwrites.map((overwrite) => ({ ...overwrite }));
  return channel;
};

/** Denied to everyone, allowed to the roles named. */
const restrict = (
  { guild, roleIds }: GuildBuilder,
  bit: bigint,
  roleNames?: string[],
): Overwrite[] => {
  if (!roleNames) return [];
  const allowed = roleNames.map((name): Overwrite => {
    return { id: roleIds.get(name) ?? guild.id, type: 0, allow: bit.toString(), deny: '0' };
  });
  return [{ id: guild.id, type: 0, allow: '0', deny: bit.toString() }, ...allowed];
};

const setSpecialChannels = ({ settings, channels }: Guild) => {
  const idOf = (name: string) =>
    [...channels.values()].find((channel) => channel.name === name)?.id ?? null;
  settings.features = ['COMMUNITY', 'NEWS', 'ROLE_ICONS'];
  settings.premium_tier = 2;
  settings.premium_subscription_count = 9;
  settings.rules_channel_id = idOf('rules');
  settings.public_updates_channel_id = idOf('community-updates');
  settings.system_channel_id = idOf('general');
  settings.afk_channel_id = idOf('Away');
  settings.explicit_content_filter = 2;
};

const makeMembers = ({ guild, random, nextId, roleIds }: GuildBuilder) => {
  const ranks = ['Admin', 'Moderator', 'Moderator', 'Helper', 'Helper'];
  const joinedAt = (id: string) => new Date(timeOfSnowflake(id) + 86_400_000).toISOString();
  const { owner_id } = guild.settings;
  addMember(guild, newMember(owner_id, joinedAt(guild.id)));
  for (let index = 1; index < MEMBER_COUNT; index += 1) {
    const id = nextId();
    const names = ['Member', ranks[index - 1], random.isChance(0.3) ? 'Regular' : undefined];
    const roles = names.flatMap((name) => roleIds.get(name ?? '') ?? []);
    const nick = random.isChance(0.2) ? random.pick(NICKNAMES) : null;
    addMember(guild, { ...newMember(id, joinedAt(id)), roles, nick });
  }
  addMemberOverwrite(guild);
  for (let index = 0; index < BAN_COUNT; index += 1) {
    guild.bans.set(nextId(), { reason: random.pick(BAN_REASONS) });
  }
};

/** One channel has an overwrite for a single member, which restores must recreate too. */
const addMemberOverwrite = (guild: Guild) => {
  const memberId = guild.memberOrder.at(-1);
  const channel = [...guild.channels.values()].find(({ name }) => name === 'moderators');
  if (!memberId || !channel) return;
  const allow = Permission.ViewChannel.toString();
  channel.permission_overwrites.push({ id: memberId, type: 1, allow, deny: '0' });
};

const makeExpressions = ({ guild, random, nextId, images }: GuildBuilder) => {
  const pickImage = () => pickDrawnImage(random);
  const { owner_id } = guild.settings;
  for (const name of EMOJI_NAMES) {
    const id = nextId();
    guild.emojis.set(id, newEmoji({ id, name, user_id: owner_id }));
    images.set(`emojis/${id}`, pickImage());
  }
  const id = nextId();
  const sticker = { name: 'Hello there', description: 'A friendly disc', tags: 'wave' };
  guild.stickers.set(id, newSticker({ id, ...sticker, guild_id: guild.id, user_id: owner_id }));
  images.set(`stickers/${id}`, pickImage());
  guild.settings.icon = Bun.hash(guild.id).toString(16).padStart(32, '0');
  images.set(`icons/${guild.id}/${guild.settings.icon}`, pickImage());
};

const makeMessages = ({ guild, random, nextId }: GuildBuilder) => {
  const planned = new Map(
    PLANNED_CATEGORIES.flatMap(({ channels }) =>
      channels.map(({ name, messages }) => [name, messages ?? []]),
    ),
  );
  for (const channel of guild.channels.values()) {
    const messages = new Map();
    for (const content of planned.get(channel.name) ?? []) {
      const id = nextId();
      const message = newMessage({
        id,
        channel_id: channel.id,
        author_id: guild.memberOrder[random.below(guild.memberOrder.length)] ?? guild.id,
        content,
        timestamp: new Date(timeOfSnowflake(id)).toISOString(),
        pinned: channel.name === 'rules',
      });
      messages.set(id, message);
      channel.last_message_id = id;
    }
    if (messages.size > 0) guild.messages.set(channel.id, messages);
  }
};

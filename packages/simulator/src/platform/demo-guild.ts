import { ChannelType, newChannel } from './channel-fields.ts';
import {
  BAN_REASONS,
  COMMUNITY_NAMES,
  EMOJI_NAMES,
  NICKNAMES,
  PLANNED_CATEGORIES,
  PLANNED_ROLES,
  type PlannedChannel,
} from './demo-plan.ts';
import type { Channel, Guild, Overwrite, StoredImage } from './guild-state.ts';
import { ADMINISTRATOR_ACCESS, newGuild, newRole } from './new-guild.ts';
import { Permission } from './permissions.ts';
import { drawDiscPng } from './png.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { isSnowflake, snowflakeAt, timeOfSnowflake } from './snowflakes.ts';
import { addMember, newMember } from './world.ts';

const MEMBER_COUNT = 30;
const BAN_COUNT = 3;
const LATEST_BIRTH_MS = Date.UTC(2024, 0, 1);

type Making = {
  guild: Guild;
  random: SeededRandom;
  /** Ids in order of time from the guild's own on, the same at every making. */
  nextId: () => string;
  roleIds: Map<string, string>;
  images: Map<string, StoredImage>;
};

/** A plausible community for any guild id, always the same one for the same id. */
export const makeDemoGuild = (
  id: string,
  ownerId: string,
  images: Map<string, StoredImage>,
): Guild | undefined => {
  if (!isSnowflake(id)) return undefined;
  const random = createSeededRandom(id);
  const guild = newGuild(id, ownerId, ADMINISTRATOR_ACCESS);
  const making = { guild, random, nextId: createDemoIds(id, random), roleIds: new Map(), images };
  guild.settings.name = `${random.pick(COMMUNITY_NAMES)} ${id.slice(-3)}`;
  guild.settings.description = 'A community made up by the simulator.';
  makeRoles(making);
  makeChannels(making);
  makeMembers(making);
  makeExpressions(making);
  makeMessages(making);
  return guild;
};

const createDemoIds = (guildId: string, random: SeededRandom) => {
  let timeMs = Math.min(timeOfSnowflake(guildId), LATEST_BIRTH_MS);
  return () => {
    timeMs += 1 + random.below(40_000_000);
    return snowflakeAt(timeMs, random.below(2 ** 22));
  };
};

const makeRoles = ({ guild, nextId, roleIds }: Making) => {
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

const makeChannels = (making: Making) => {
  const { guild, nextId } = making;
  const positions = { text: 0, voice: 0 };
  for (const [position, planned] of PLANNED_CATEGORIES.entries()) {
    const category = newChannel(nextId(), guild.id, ChannelType.Category, planned.name);
    category.position = position;
    category.permission_overwrites = hideFromOthers(making, planned.onlyFor);
    guild.channels.set(category.id, category);
    for (const plannedChannel of planned.channels) {
      const channel = makeChannel(making, category, plannedChannel);
      channel.position = 'bitrate' in channel ? positions.voice++ : positions.text++;
      guild.channels.set(channel.id, channel);
    }
  }
  nameSpecialChannels(guild);
};

const makeChannel = (making: Making, category: Channel, planned: PlannedChannel): Channel => {
  const { guild, nextId } = making;
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
    ...hideFromOthers(making, planned.onlyFor),
    ...silenceOthers(making, planned.writtenBy),
  ];
  channel.permission_overwrites = own.length
    ? own
    : category.permission_overwrites.map((overwrite) => ({ ...overwrite }));
  return channel;
};

const hideFromOthers = (making: Making, roleNames?: string[]): Overwrite[] =>
  restrict(making, Permission.ViewChannel, roleNames);

const silenceOthers = (making: Making, roleNames?: string[]): Overwrite[] =>
  restrict(making, Permission.SendMessages, roleNames);

/** Denied to everyone, allowed to the roles named. */
const restrict = ({ guild, roleIds }: Making, bit: bigint, roleNames?: string[]): Overwrite[] => {
  if (!roleNames) return [];
  const allowed = roleNames.map((name): Overwrite => {
    return { id: roleIds.get(name) ?? guild.id, type: 0, allow: bit.toString(), deny: '0' };
  });
  return [{ id: guild.id, type: 0, allow: '0', deny: bit.toString() }, ...allowed];
};

const nameSpecialChannels = ({ settings, channels }: Guild) => {
  const idOf = (name: string) =>
    [...channels.values()].find((channel) => channel.name === name)?.id ?? null;
  settings.features = ['COMMUNITY', 'NEWS'];
  settings.rules_channel_id = idOf('rules');
  settings.public_updates_channel_id = idOf('community-updates');
  settings.system_channel_id = idOf('general');
  settings.afk_channel_id = idOf('Away');
  settings.explicit_content_filter = 2;
};

const makeMembers = ({ guild, random, nextId, roleIds }: Making) => {
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
  giveMemberOverwrite(guild);
  for (let index = 0; index < BAN_COUNT; index += 1) {
    guild.bans.set(nextId(), { reason: random.pick(BAN_REASONS) });
  }
};

/** One channel lets a single member in beside the roles: backups must bring that back too. */
const giveMemberOverwrite = (guild: Guild) => {
  const memberId = guild.memberOrder.at(-1);
  const channel = [...guild.channels.values()].find(({ name }) => name === 'moderators');
  if (!memberId || !channel) return;
  const allow = Permission.ViewChannel.toString();
  channel.permission_overwrites.push({ id: memberId, type: 1, allow, deny: '0' });
};

const drawPicture = (colour: number): StoredImage => ({
  mime: 'image/png',
  base64: drawDiscPng(32, colour).toString('base64'),
});

/** Drawn once and shared: ten thousand guilds need no more. */
const pictures = [
  0xe74c3c, 0xe67e22, 0xf1c40f, 0x2ecc71, 0x1abc9c, 0x3498db, 0x5865f2, 0x9b59b6, 0xe91e63,
  0x795548, 0x607d8b, 0x34495e,
].map(drawPicture);

const makeExpressions = ({ guild, random, nextId, images }: Making) => {
  const picture = () => pictures[random.below(pictures.length)] ?? drawPicture(0);
  const { owner_id } = guild.settings;
  const made = { roles: [], user_id: owner_id, require_colons: true, managed: false };
  for (const name of EMOJI_NAMES) {
    const id = nextId();
    guild.emojis.set(id, { id, name, ...made, animated: false, available: true });
    images.set(`emojis/${id}`, picture());
  }
  const id = nextId();
  guild.stickers.set(id, {
    id,
    name: 'Hello there',
    description: 'A friendly disc',
    tags: 'wave',
    type: 2,
    format_type: 1,
    available: true,
    guild_id: guild.id,
    user_id: owner_id,
  });
  images.set(`stickers/${id}`, picture());
  guild.settings.icon = Bun.hash(guild.id).toString(16).padStart(32, '0');
  images.set(`icons/${guild.id}/${guild.settings.icon}`, picture());
};

const makeMessages = ({ guild, random, nextId }: Making) => {
  const planned = new Map(
    PLANNED_CATEGORIES.flatMap(({ channels }) =>
      channels.map(({ name, messages }) => [name, messages ?? []]),
    ),
  );
  for (const channel of guild.channels.values()) {
    const messages = new Map();
    for (const content of planned.get(channel.name) ?? []) {
      const id = nextId();
      messages.set(id, {
        id,
        channel_id: channel.id,
        author_id: guild.memberOrder[random.below(guild.memberOrder.length)] ?? guild.id,
        content,
        timestamp: new Date(timeOfSnowflake(id)).toISOString(),
        edited_timestamp: null,
        tts: false,
        pinned: channel.name === 'rules',
        embeds: [],
        type: 0,
        flags: 0,
      });
      channel.last_message_id = id;
    }
    if (messages.size > 0) guild.messages.set(channel.id, messages);
  }
};

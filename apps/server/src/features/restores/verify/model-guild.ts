import { PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, Overwrite, Role } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import type { RoleInput, SettingsChanges } from '../../../platform/port.ts';
import { channelSettings } from '../plan/action.ts';
import { isConvertible, needsCommunity, sortingGroup } from '../plan/channel-kinds.ts';
import type { GuildState, WholeGuild } from '../plan/step.ts';
import type { RestoreGuild } from '../run/run-step.ts';
import { createEmptyParts, forgetChannel, partCalls } from './model-parts.ts';

/**
 * A guild that exists only in memory and keeps the platform's rules: its limits, what belongs to what,
 * what a community cannot be without, which channels follow their category. Test restores run against
 * it. It checks no permissions.
 */
export type ModelGuild = RestoreGuild & { state: WholeGuild };

const MAX_CHANNELS = 500;
const MAX_CHILDREN = 50;
const MAX_ROLES = 250;

export const createModelGuild = (state: WholeGuild, { syncs = true } = {}): ModelGuild => {
  const things = [state.roles, state.channels, state.emojis, state.stickers].flat();
  const parts = state.parts ?? createEmptyParts();
  const nextId = idsAbove([state.ownerId, ...things.map(({ id }) => id)]);
  return {
    state,
    ...roleCalls(state, nextId),
    ...channelCalls(state, nextId, syncs),
    ...expressionCalls(state, nextId),
    ...memberCalls(state),
    ...partCalls(Object.assign(state, { parts }), nextId),
    editSettings: async (changes) => applySettings(state, changes),
  };
};

const refuse = (status: number, code: number) => new PlatformFailure('refused', { status, code });

/** New ids, each higher than all given ones and than the last, as the platform's ids grow with time. */
export const idsAbove = (ids: string[]) => {
  // A snapshot is what the platform answered, so an id need not be a number.
  const numbers = ids.filter((id) => /^\d+$/.test(id)).map(BigInt);
  let highest = numbers.reduce((max, id) => (id > max ? id : max), 10n ** 18n);
  return (): string => (++highest).toString();
};

const find = <Thing extends { id: string }>(things: Thing[], id: string, code: number): Thing => {
  const found = things.find((thing) => thing.id === id);
  if (!found) throw refuse(404, code);
  return found;
};

const remove = <Thing extends { id: string }>(things: Thing[], id: string, code: number) => {
  things.splice(things.indexOf(find(things, id, code)), 1);
};

type Calls<Name extends keyof RestoreGuild> = Pick<RestoreGuild, Name>;

const roleCalls = (
  state: WholeGuild,
  nextId: () => string,
): Calls<'createRole' | 'editRole' | 'placeRoles' | 'deleteRole'> => ({
  createRole: async (input: RoleInput) => {
    if (state.roles.length >= MAX_ROLES) throw refuse(400, 30005);
    for (const other of state.roles) if (other.position > 0) other.position += 1;
    const fixed = { isManaged: false, botId: null, position: 1, iconHash: null };
    const role: Role = { ...structuredClone(input), ...fixed, id: nextId() };
    state.roles.push(role);
    return { ...role };
  },
  editRole: async (roleId, changes) => {
    const role = find(state.roles, roleId, 10011);
    const { permissions = role.permissions } = changes;
    return Object.assign(role, roleId === state.guildId ? { permissions } : changes);
  },
  placeRoles: async (places) => {
    for (const { id, position } of places) find(state.roles, id, 10011).position = position;
    const moved = new Set(places.map(({ id }) => id));
    // Roles that were not named move up.
    state.roles.sort(
      (one, other) => one.position - other.position || Number(moved.has(other.id)) - 0.5,
    );
    for (const [position, role] of state.roles.entries()) role.position = position;
  },
  deleteRole: async (roleId) => {
    const role = find(state.roles, roleId, 10011);
    if (role.isManaged || roleId === state.guildId) throw refuse(400, 50028);
    remove(state.roles, roleId, 10011);
    for (const other of state.roles) if (other.position > role.position) other.position -= 1;
    for (const channel of state.channels) {
      channel.overwrites = channel.overwrites.filter(
        ({ id, kind }) => kind === 'member' || id !== roleId,
      );
    }
    for (const holder of [...state.members, ...state.emojis]) {
      holder.roleIds = holder.roleIds.filter((id) => id !== roleId);
    }
  },
});

const channelCalls = (
  state: WholeGuild,
  nextId: () => string,
  syncs: boolean,
): Calls<'createChannel' | 'editChannel' | 'placeChannels' | 'deleteChannel'> => ({
  createChannel: async (input) => {
    if (state.channels.length >= MAX_CHANNELS) throw refuse(400, 30013);
    requireParent(state, input);
    requireOverwrites(state, input.overwrites);
    if (needsCommunity(input) && !isCommunity(state)) throw refuse(400, 50035);
    const id = nextId();
    const tags = input.tags.map((tag, index) => ({ ...tag, id: `${id}${index}` }));
    const copied = syncs && input.overwrites.length === 0 ? input.parentId : null;
    const parent = state.channels.find((one) => one.id === copied);
    const overwrites = copyOf(parent?.overwrites ?? input.overwrites);
    // Only an edit sets flags.
    const channel: Channel = { ...input, id, tags, overwrites, flags: 0 };
    state.channels.push(channel);
    return { ...channel };
  },
  editChannel: async (channelId, { tags, overwrites, ...changes }) => {
    const channel = find(state.channels, channelId, 10003);
    requireOverwrites(state, overwrites ?? []);
    const { parentId } = changes;
    if (parentId && parentId !== channel.parentId) requireParent(state, { ...channel, parentId });
    if (changes.kind && changes.kind !== channel.kind) convert(state, channel, changes.kind);
    if (overwrites) {
      for (const follower of syncs ? listFollowers(state, channel) : []) {
        follower.overwrites = copyOf(overwrites);
      }
      channel.overwrites = copyOf(overwrites);
    }
    if (tags) channel.tags = tags.map((tag) => ({ ...tag, id: tag.id ?? nextId() }));
    return { ...Object.assign(channel, changes) };
  },
  placeChannels: async (places) => {
    for (const { id, position } of places) find(state.channels, id, 10003).position = position;
  },
  deleteChannel: async (channelId) => {
    const { rulesChannelId, publicUpdatesChannelId } = state.settings;
    find(state.channels, channelId, 10003);
    if (isCommunity(state) && [rulesChannelId, publicUpdatesChannelId].includes(channelId)) {
      throw refuse(400, 50074);
    }
    remove(state.channels, channelId, 10003);
    forgetChannel(state, channelId);
    for (const one of state.channels) if (one.parentId === channelId) one.parentId = null;
    for (const setting of channelSettings) {
      if (state.settings[setting] === channelId) state.settings[setting] = null;
    }
  },
});

/** Channels with the overwrites of their category are changed with it. */
const listFollowers = ({ channels }: GuildState, { id, overwrites }: Channel): Channel[] =>
  channels.filter((one) => one.parentId === id && sameOverwrites(one.overwrites, overwrites));

/** An announcement channel has no slow mode. */
const convert = (state: GuildState, channel: Channel, kind: Channel['kind']) => {
  if (!isConvertible(channel) || !isConvertible({ kind })) throw refuse(400, 50035);
  if (needsCommunity({ kind }) && !isCommunity(state)) throw refuse(400, 50035);
  if (kind === 'announcement') channel.slowModeSeconds = 0;
};

const isCommunity = ({ settings }: GuildState) => settings.features.includes('COMMUNITY');

const requireParent = (
  { channels }: GuildState,
  { parentId, ...input }: Pick<Channel, 'parentId' | 'kind'>,
) => {
  if (parentId === null) return;
  const parent = find(channels, parentId, 50035);
  const siblings = channels.filter((channel) => channel.parentId === parentId).length;
  const isAllowed = parent.kind === 'category' && sortingGroup(input) !== 'category';
  if (!isAllowed || siblings >= MAX_CHILDREN) throw refuse(400, 50035);
};

/** Shallow, because a large guild has tens of thousands of overwrites. */
const copyOf = (overwrites: Overwrite[]): Overwrite[] => overwrites.map((one) => ({ ...one }));

const requireOverwrites = ({ roles }: GuildState, overwrites: Overwrite[]) => {
  const roleIds = new Set(roles.map(({ id }) => id));
  const isValid = ({ id, kind }: Overwrite) => kind !== 'role' || roleIds.has(id);
  if (!overwrites.every(isValid)) throw refuse(404, 10009);
};

const applySettings = (state: GuildState, changes: SettingsChanges) => {
  const { icon, splash, discoverySplash, banner, ...rest } = changes;
  for (const setting of channelSettings) {
    const id = rest[setting];
    if (id) find(state.channels, id, 10003);
  }
  const after = { ...state.settings, ...rest };
  const isComplete = after.rulesChannelId !== null && after.publicUpdatesChannelId !== null;
  if (after.features.includes('COMMUNITY') && !isComplete) throw refuse(400, 50035);
  const pictures = { iconHash: icon, splashHash: splash, discoverySplashHash: discoverySplash };
  for (const [field, image] of Object.entries({ ...pictures, bannerHash: banner })) {
    if (image !== undefined) Object.assign(after, { [field]: image && 'new picture' });
  }
  state.settings = after;
};

const expressionCalls = (
  state: WholeGuild,
  nextId: () => string,
): Calls<
  'createEmoji' | 'editEmoji' | 'deleteEmoji' | 'createSticker' | 'editSticker' | 'deleteSticker'
> => ({
  createEmoji: async ({ name, image, roleIds }) => {
    const isAnimated = image.contentType === 'image/gif';
    const emoji = { id: nextId(), name, isAnimated, isManaged: false, roleIds };
    state.emojis.push(emoji);
    return { ...emoji };
  },
  editEmoji: async (emojiId, changes) => {
    Object.assign(find(state.emojis, emojiId, 10014), changes);
  },
  deleteEmoji: async (emojiId) => remove(state.emojis, emojiId, 10014),
  createSticker: async ({ image, ...input }) => {
    const format = image.contentType === 'image/gif' ? 'gif' : 'png';
    const sticker = { ...input, id: nextId(), format } as const;
    state.stickers.push(sticker);
    return { ...sticker };
  },
  editSticker: async (stickerId, changes) => {
    Object.assign(find(state.stickers, stickerId, 10060), changes);
  },
  deleteSticker: async (stickerId) => remove(state.stickers, stickerId, 10060),
});

/** Members are found through a map, because there can be a hundred thousand. */
const memberCalls = (state: WholeGuild): Calls<'ban' | 'unban' | 'editMember'> => {
  const banned = new Set(state.bans.map(({ userId }) => userId));
  const members = new Map(state.members.map((member) => [member.userId, member]));
  return {
    ban: async (userId, reason) => {
      if (!banned.has(userId)) state.bans.push({ userId, reason });
      banned.add(userId);
      if (!members.delete(userId)) return;
      state.members = [...members.values()];
      for (const channel of state.channels) {
        channel.overwrites = channel.overwrites.filter(({ id }) => id !== userId);
      }
    },
    unban: async (userId) => {
      if (!banned.delete(userId)) throw refuse(404, 10026);
      state.bans = state.bans.filter((ban) => ban.userId !== userId);
    },
    editMember: async (userId, changes) => {
      const member = members.get(userId);
      if (!member) throw refuse(404, 10007);
      const { roleIds: given, ...others } = changes;
      const roleIds = typeof given === 'function' ? await given() : given;
      for (const roleId of roleIds ?? []) find(state.roles, roleId, 10011);
      Object.assign(member, others, roleIds && { roleIds: [...roleIds] });
    },
  };
};

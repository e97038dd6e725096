import { compareSnowflakes, createSnowflakes } from '../snowflakes.ts';
import type { ScheduledEvent } from './community.ts';
import type { Message, Thread } from './conversation.ts';
import type { Channel, Guild, Member, Role, StoredImage } from './guild.ts';

type WorldOptions = {
  makeGuild: (id: string) => Guild | undefined;
  /** By their path on the CDN: images without extension, attachments with their whole file name. */
  images: Map<string, StoredImage>;
};

export type World = ReturnType<typeof createWorld>;

/**
 * All guilds, in memory. An index finds the guild of a channel, thread, webhook or invite, so no request
 * iterates over guilds. `makeGuild` creates a guild at its first use.
 */
export const createWorld = ({ makeGuild, images }: WorldOptions) => {
  const guilds = new Map<string, Guild>();
  const guildByIndexedId = new Map<string, Guild>();
  /** Deleted guilds are not made anew when they are asked for. */
  const deletedIds = new Set<string>();
  const listeners = new Set<() => void>();
  /** Whether channels follow their category, as the platform's documentation says. */
  const permissionSync = { isOn: true };
  let setTimeMs: number | null = null;
  const snowflakes = createSnowflakes(() => setTimeMs ?? Date.now());

  const unindex = (guild: Guild) => {
    for (const id of indexedIdsOf(guild)) guildByIndexedId.delete(id);
  };
  const putGuild = (guild: Guild) => {
    const before = guilds.get(guild.id);
    if (before) unindex(before);
    deletedIds.delete(guild.id);
    guilds.set(guild.id, guild);
    for (const id of indexedIdsOf(guild)) guildByIndexedId.set(id, guild);
  };

  return {
    guilds,
    images,
    permissionSync,
    nextId: snowflakes.next,
    /** New ids, and with them the entries of audit logs, are of this time; null: of the clock. */
    dateIds: (timeMs: number | null) => {
      setTimeMs = timeMs;
    },
    putGuild,
    removeGuild: (guild: Guild) => {
      unindex(guild);
      guilds.delete(guild.id);
      deletedIds.add(guild.id);
    },
    findGuild: (id: string): Guild | undefined => {
      const existing = guilds.get(id);
      if (existing || deletedIds.has(id)) return existing;
      const created = makeGuild(id);
      if (created) putGuild(created);
      return created;
    },
    /** The guild of a channel, thread, webhook or invite code. */
    guildOf: (id: string): Guild | undefined => guildByIndexedId.get(id),
    indexId: (id: string, guild: Guild) => guildByIndexedId.set(id, guild),
    unindexId: (id: string) => guildByIndexedId.delete(id),
    onChange: (listener: () => void) => listeners.add(listener),
    reportChange: () => {
      for (const listener of listeners) listener();
    },
  };
};

export const addChannel = (world: World, guild: Guild, channel: Channel) => {
  guild.channels.set(channel.id, channel);
  world.indexId(channel.id, guild);
};

export const addThread = (world: World, guild: Guild, thread: Thread) => {
  guild.threads.set(thread.id, thread);
  world.indexId(thread.id, guild);
};

export const removeThread = (world: World, guild: Guild, threadId: string) => {
  guild.threads.delete(threadId);
  removeMessages(world, guild, threadId);
  world.unindexId(threadId);
};

/** The files of a message go with it. */
export const removeMessage = (
  world: World,
  guild: Guild,
  { id, channel_id, attachments }: Message,
) => {
  guild.messages.get(channel_id)?.delete(id);
  for (const attachment of attachments) {
    world.images.delete(attachmentKey(channel_id, attachment));
  }
};

/** The path of an attachment on the CDN. */
export const attachmentKey = (
  placeId: string,
  { id, filename }: { id: string; filename: string },
) => `attachments/${placeId}/${id}/${filename}`;

const removeMessages = (world: World, guild: Guild, placeId: string) => {
  for (const message of guild.messages.get(placeId)?.values() ?? []) {
    removeMessage(world, guild, message);
  }
  guild.messages.delete(placeId);
};

/**
 * Its threads, messages, invites, webhooks and events are removed with it; channels of a category stay,
 * without a parent.
 */
export const removeChannel = (world: World, guild: Guild, channelId: string) => {
  guild.channels.delete(channelId);
  removeMessages(world, guild, channelId);
  world.unindexId(channelId);
  for (const thread of guild.threads.values()) {
    if (thread.parent_id === channelId) removeThread(world, guild, thread.id);
  }
  for (const channel of guild.channels.values()) {
    if (channel.parent_id === channelId) channel.parent_id = null;
  }
  for (const invite of guild.invites.values()) {
    if (invite.channel_id === channelId) removeInvite(world, guild, invite.code);
  }
  for (const webhook of guild.webhooks.values()) {
    if (webhook.channel_id === channelId) removeWebhook(world, guild, webhook.id);
  }
  for (const event of guild.events.values()) {
    if (event.channel_id === channelId) removeEvent(world, guild, event);
  }
  clearChannelSettings(guild, channelId);
  forgetId(guild, channelId);
};

export const removeEvent = (world: World, guild: Guild, { id, image }: ScheduledEvent) => {
  guild.events.delete(id);
  world.images.delete(`guild-events/${id}/${image}`);
};

export const removeInvite = (world: World, guild: Guild, code: string) => {
  guild.invites.delete(code);
  world.unindexId(code);
};

export const removeWebhook = (world: World, guild: Guild, webhookId: string) => {
  guild.webhooks.delete(webhookId);
  world.unindexId(webhookId);
};

export const removeRole = (guild: Guild, { id: roleId, position }: Role) => {
  guild.roles.delete(roleId);
  // The roles above move down into the gap.
  for (const role of guild.roles.values()) if (role.position > position) role.position -= 1;
  for (const member of guild.members.values()) {
    if (member.roles.includes(roleId)) member.roles = member.roles.filter((id) => id !== roleId);
  }
  for (const channel of guild.channels.values()) {
    channel.permission_overwrites = channel.permission_overwrites.filter(({ id }) => id !== roleId);
  }
  forgetId(guild, roleId);
};

/** What pointed at a channel or role that is gone points at it no longer. */
const forgetId = ({ onboarding, welcomeScreen }: Guild, goneId: string) => {
  const others = (ids: string[]) => ids.filter((id) => id !== goneId);
  onboarding.default_channel_ids = others(onboarding.default_channel_ids);
  for (const option of onboarding.prompts.flatMap(({ options }) => options)) {
    option.channel_ids = others(option.channel_ids);
    option.role_ids = others(option.role_ids);
  }
  welcomeScreen.welcome_channels = welcomeScreen.welcome_channels.filter(
    ({ channel_id }) => channel_id !== goneId,
  );
};

export const addMember = (guild: Guild, member: Member) => {
  if (!guild.members.has(member.user_id)) {
    guild.memberOrder.splice(sortedIndexOf(guild.memberOrder, member.user_id), 0, member.user_id);
  }
  guild.members.set(member.user_id, member);
  guild.expelledIds.delete(member.user_id);
};

/** Kicked or banned. A bot takes its own role along, and does not come back by itself. */
export const expelMember = (guild: Guild, userId: string) => {
  removeMember(guild, userId);
  for (const role of guild.roles.values()) {
    if (role.managed && role.tags?.bot_id === userId) removeRole(guild, role);
  }
  guild.expelledIds.add(userId);
};

/** The overwrites of a member go with the member. */
export const removeMember = (guild: Guild, userId: string) => {
  if (!guild.members.delete(userId)) return;
  guild.memberOrder.splice(sortedIndexOf(guild.memberOrder, userId), 1);
  for (const channel of channelsNaming(guild, userId)) {
    channel.permission_overwrites = channel.permission_overwrites.filter(({ id }) => id !== userId);
  }
};

/** The channels that have an overwrite for one of them. */
export const channelsNaming = ({ channels }: Guild, ...ids: string[]): Channel[] => {
  const named = new Set(ids);
  return [...channels.values()].filter(({ permission_overwrites }) =>
    permission_overwrites.some(({ id }) => named.has(id)),
  );
};

/** Index of the first id that is not below `id`. */
export const sortedIndexOf = (order: string[], id: string): number => {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareSnowflakes(order[middle] ?? '', id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

function* indexedIdsOf(guild: Guild) {
  yield* guild.channels.keys();
  yield* guild.threads.keys();
  yield* guild.webhooks.keys();
  yield* guild.invites.keys();
}

const clearChannelSettings = ({ settings }: Guild, channelId: string) => {
  const fields = ['afk_channel_id', 'system_channel_id', 'widget_channel_id'] as const;
  for (const field of [...fields, 'safety_alerts_channel_id'] as const) {
    if (settings[field] === channelId) settings[field] = null;
  }
};

import type { Channel, Guild, Member, Role, StoredImage } from './guild-state.ts';
import { compareSnowflakes, createSnowflakes } from './snowflakes.ts';

export type WorldOptions = {
  makeGuild: (id: string) => Guild | undefined;
  /** By their path on the CDN, without extension. */
  images: Map<string, StoredImage>;
};

export type World = ReturnType<typeof createWorld>;

/**
 * All guilds, in memory. Ids of channels, webhooks and invites are looked up in `homes`, so no
 * request walks through guilds. `makeGuild` brings a guild into being at its first use.
 */
export const createWorld = ({ makeGuild, images }: WorldOptions) => {
  const guilds = new Map<string, Guild>();
  const homes = new Map<string, Guild>();
  const listeners = new Set<() => void>();
  const snowflakes = createSnowflakes();

  const settle = (guild: Guild) => {
    const before = guilds.get(guild.id);
    if (before) for (const id of idsHousedIn(before)) homes.delete(id);
    guilds.set(guild.id, guild);
    for (const id of idsHousedIn(guild)) homes.set(id, guild);
  };

  return {
    guilds,
    images,
    nextId: snowflakes.next,
    settle,
    findGuild: (id: string): Guild | undefined => {
      const known = guilds.get(id);
      if (known) return known;
      const made = makeGuild(id);
      if (made) settle(made);
      return made;
    },
    /** The guild in which a channel, webhook or invite code lives. */
    homeOf: (id: string): Guild | undefined => homes.get(id),
    house: (id: string, guild: Guild) => homes.set(id, guild),
    unhouse: (id: string) => homes.delete(id),
    onChange: (listener: () => void) => listeners.add(listener),
    reportChange: () => {
      for (const listener of listeners) listener();
    },
  };
};

export const addChannel = (world: World, guild: Guild, channel: Channel) => {
  guild.channels.set(channel.id, channel);
  world.house(channel.id, guild);
};

/** What hangs on a channel goes with it; children of a category stay, without a parent. */
export const removeChannel = (world: World, guild: Guild, channelId: string) => {
  guild.channels.delete(channelId);
  guild.messages.delete(channelId);
  world.unhouse(channelId);
  for (const channel of guild.channels.values()) {
    if (channel.parent_id === channelId) channel.parent_id = null;
  }
  for (const invite of guild.invites.values()) {
    if (invite.channel_id === channelId) removeInvite(world, guild, invite.code);
  }
  for (const webhook of guild.webhooks.values()) {
    if (webhook.channel_id === channelId) removeWebhook(world, guild, webhook.id);
  }
  clearChannelSettings(guild, channelId);
};

export const removeInvite = (world: World, guild: Guild, code: string) => {
  guild.invites.delete(code);
  world.unhouse(code);
};

export const removeWebhook = (world: World, guild: Guild, webhookId: string) => {
  guild.webhooks.delete(webhookId);
  world.unhouse(webhookId);
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
};

export const addMember = (guild: Guild, member: Member) => {
  if (!guild.members.has(member.user_id)) {
    guild.memberOrder.splice(placeInOrder(guild.memberOrder, member.user_id), 0, member.user_id);
  }
  guild.members.set(member.user_id, member);
};

export const removeMember = (guild: Guild, userId: string) => {
  if (!guild.members.delete(userId)) return;
  guild.memberOrder.splice(placeInOrder(guild.memberOrder, userId), 1);
};

/** Index of the first id that is not below `id`. */
export const placeInOrder = (order: string[], id: string): number => {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareSnowflakes(order[middle] ?? '', id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const newMember = (userId: string, joinedAt: string): Member => ({
  user_id: userId,
  nick: null,
  roles: [],
  joined_at: joinedAt,
  mute: false,
  deaf: false,
  communication_disabled_until: null,
});

function* idsHousedIn(guild: Guild) {
  yield* guild.channels.keys();
  yield* guild.webhooks.keys();
  yield* guild.invites.keys();
}

const clearChannelSettings = (guild: Guild, channelId: string) => {
  const { settings } = guild;
  if (settings.afk_channel_id === channelId) settings.afk_channel_id = null;
  if (settings.system_channel_id === channelId) settings.system_channel_id = null;
  if (settings.widget_channel_id === channelId) settings.widget_channel_id = null;
  if (settings.safety_alerts_channel_id === channelId) settings.safety_alerts_channel_id = null;
};

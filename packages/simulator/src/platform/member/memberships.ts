import type { GuildFeature } from 'discord-api-types/v10';
import { announce, type By } from '../announce/announce.ts';
import { each, watch } from '../announce/watch.ts';
import type { Guild, Member } from '../guild/guild.ts';
import { newMember } from '../guild/new-guild.ts';
import { computeGuildPermissions } from '../guild/permissions.ts';
import { presentCounts } from '../guild/present.ts';
import { addMember, channelsNaming, removeMember, type World } from '../guild/world.ts';
import type { Platform } from '../platform.ts';

/** The guilds of a user or bot, as their own list shows them. */
export const listGuildsOf = (world: World, userId: string) => {
  const guilds = [];
  for (const guild of world.guilds.values()) {
    const member = guild.members.get(userId);
    if (member) guilds.push(presentOwnGuild(guild, member));
  }
  return guilds;
};

/** Makes the user a member of exactly these guilds. */
export const setGuildsOf = (platform: Platform, by: By, userId: string, guildIds: string[]) => {
  const { world } = platform;
  const targetIds = new Set(guildIds);
  for (const guild of world.guilds.values()) {
    if (targetIds.has(guild.id) || !guild.members.has(userId)) continue;
    const watched = watch(guild, ['members', userId], ...each(channelsNaming(guild, userId)));
    removeMember(guild, userId);
    announce(platform, by, watched);
  }
  for (const id of targetIds) {
    const guild = world.findGuild(id);
    if (!guild || guild.members.has(userId)) continue;
    const watched = watch(guild, ['members', userId]);
    addMember(guild, newMember(userId, new Date().toISOString()));
    announce(platform, by, watched);
  }
  world.reportChange();
};

const presentOwnGuild = (guild: Guild, member: Member) => ({
  id: guild.id,
  name: guild.settings.name,
  icon: guild.settings.icon,
  banner: guild.settings.banner,
  owner: guild.settings.owner_id === member.user_id,
  permissions: computeGuildPermissions(guild, member).toString(),
  // Stored as the strings that were set; the type lists only the known ones.
  features: guild.settings.features as GuildFeature[],
  ...presentCounts(guild),
});

import type { GuildFeature } from 'discord-api-types/v10';
import type { Guild, Member } from '../guild/guild.ts';
import { newMember } from '../guild/new-guild.ts';
import { computeGuildPermissions } from '../guild/permissions.ts';
import { presentCounts } from '../guild/present.ts';
import { addMember, removeMember, type World } from '../guild/world.ts';

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
export const setGuildsOf = (world: World, userId: string, guildIds: string[]) => {
  const targetIds = new Set(guildIds);
  for (const guild of world.guilds.values()) {
    if (!targetIds.has(guild.id)) removeMember(guild, userId);
  }
  for (const id of targetIds) {
    const guild = world.findGuild(id);
    if (guild && !guild.members.has(userId)) {
      addMember(guild, newMember(userId, new Date().toISOString()));
    }
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

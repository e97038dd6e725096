import type { GuildFeature } from 'discord-api-types/v10';
import type { Guild, Member } from './guild-state.ts';
import { computeGuildPermissions } from './permissions.ts';
import { presentCounts } from './present.ts';
import { addMember, newMember, removeMember, type World } from './world.ts';

/** The servers a user or bot is in, as they see them in their own list. */
export const listGuildsOf = (world: World, userId: string) => {
  const guilds = [];
  for (const guild of world.guilds.values()) {
    const member = guild.members.get(userId);
    if (member) guilds.push(presentOwnGuild(guild, member));
  }
  return guilds;
};

/** From now on the user is in exactly these servers. */
export const setGuildsOf = (world: World, userId: string, guildIds: string[]) => {
  const wanted = new Set(guildIds);
  for (const guild of world.guilds.values()) {
    if (!wanted.has(guild.id)) removeMember(guild, userId);
  }
  for (const id of wanted) {
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
  // Kept as the plain strings that were set; the type lists the known ones.
  features: guild.settings.features as GuildFeature[],
  ...presentCounts(guild),
});

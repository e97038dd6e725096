import type { BackupComponent } from '@holdfast/contract';
import type { Ban, GuildMember } from '../../platform/guild.ts';
import type { GuildPlatform } from '../../platform/port.ts';
import type { PresentGuild } from './step.ts';

/** The target as it is now; bans and members only where they matter, since there can be many. */
export const readPresent = async (
  guildId: string,
  guild: GuildPlatform,
  components: readonly BackupComponent[],
): Promise<PresentGuild> => {
  const [core, channels, bans, members] = await Promise.all([
    guild.read(),
    guild.readChannels(),
    components.includes('bans') ? readAll<Ban>((after) => guild.readBans(after)) : undefined,
    components.includes('memberRoles')
      ? readAll<GuildMember>((after) => guild.readMembers(after))
      : undefined,
  ]);
  const { settings, ownerId, roles, emojis, stickers } = core;
  return { guildId, settings, ownerId, roles, emojis, stickers, channels, bans, members };
};

const pageSize = 1000;

const readAll = async <Person extends { userId: string }>(
  readPage: (afterUserId: string) => Promise<Person[]>,
): Promise<Person[]> => {
  const all: Person[] = [];
  for (let after = '0'; ; ) {
    const page = await readPage(after);
    all.push(...page);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return all;
    after = last.userId;
  }
};

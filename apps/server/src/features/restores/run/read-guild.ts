import type { BackupComponent } from '@holdfast/contract';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { GuildState } from '../plan/step.ts';

/** Bans and members are read only where they are restored, since there can be many. */
export const readGuild = async (
  guildId: string,
  guild: GuildPlatform,
  components: readonly BackupComponent[],
): Promise<GuildState> => {
  const [core, channels, bans, members] = await Promise.all([
    guild.read(),
    guild.readChannels(),
    components.includes('bans') ? readAll((after) => guild.readBans(after)) : undefined,
    components.includes('memberRoles') ? readAll((after) => guild.readMembers(after)) : undefined,
  ]);
  const { memberCount: _, ...read } = core;
  return { guildId, ...read, channels, bans, members };
};

const pageSize = 1000;
/** The platform's cursor before the first user. */
const firstCursor = '0';

const readAll = async <Person extends { userId: string }>(
  readPage: (afterUserId: string) => Promise<Person[]>,
): Promise<Person[]> => {
  const all: Person[] = [];
  for (let after = firstCursor; ; ) {
    const page = await readPage(after);
    all.push(...page);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return all;
    after = last.userId;
  }
};

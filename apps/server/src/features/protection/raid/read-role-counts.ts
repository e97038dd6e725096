import { PlatformFailure } from '../../../platform/failures.ts';
import type { CurrentMember, GuildPlatform } from '../../../platform/port.ts';

/** Accounts of one wave were mostly made at one time, so a few pages have them all. */
const mostPages = 3;

/** How many roles these people have, in the order of their ids; who is not in the guild is missing. */
export const readRoleCounts = async (
  guild: GuildPlatform,
  ids: readonly string[],
): Promise<Map<string, number>> => {
  const wanted = new Set(ids);
  const counts = new Map<string, number>();
  const note = ({ userId, roleIds }: CurrentMember) => counts.set(userId, roleIds.length);
  const read = await readPages(guild, ids, (member) => wanted.has(member.userId) && note(member));
  for (const id of ids.filter((one) => BigInt(one) > read)) {
    const member = await guild.readMember(id).catch(absentAsUndefined);
    if (member) note(member);
  }
  return counts;
};

/** Returns up to whom everybody was read. */
const readPages = async (
  guild: GuildPlatform,
  ids: readonly string[],
  note: (member: CurrentMember) => void,
): Promise<bigint> => {
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined) return 0n;
  let after = BigInt(first) - 1n;
  for (let page = 0; page < mostPages && after < BigInt(last); page++) {
    const { members, isLast } = await guild.readMemberPage(String(after)).catch(unlistedAsNothing);
    for (const member of members) note(member);
    if (isLast) return BigInt(last);
    const reached = members.at(-1)?.userId;
    if (reached === undefined) break;
    after = BigInt(reached);
  }
  return after;
};

/** Without the intent for members they cannot be listed, but asked for one by one. */
const unlistedAsNothing = (error: unknown): { members: CurrentMember[]; isLast: boolean } => {
  const mayNotList =
    error instanceof PlatformFailure && ['noAccess', 'missingPermission'].includes(error.kind);
  if (!mayNotList) throw error;
  return { members: [], isLast: false };
};

const absentAsUndefined = (error: unknown): undefined => {
  const isAbsent =
    error instanceof PlatformFailure && ['unknownMember', 'unknownUser'].includes(error.kind);
  if (!isAbsent) throw error;
};

import type { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { GuildPlatform, PresentMember } from '../../platform/port.ts';
import { withBot } from './preflight.ts';
import type { PullWork } from './pull-work.ts';
import { wasThereBefore } from './rules.ts';

type Call = {
  platformId: string;
  /** The one that holds their token. */
  botId: string;
  /** Asked for in the moment the call leaves. */
  takeToken(): Promise<Secret | undefined>;
  /** Whether the call that was answered repeats one whose outcome nobody knows. */
  isRepeated(): boolean;
};

/** Adds one member to the target, with the role if there is one. */
export const bringIn = (
  work: PullWork,
  { platformId, botId, takeToken, isRepeated }: Call,
): Promise<'joined' | 'alreadyMember'> =>
  withBot(work, botId, async (bot) => {
    const { target, watch } = work;
    const { roleId, createdAt } = work.pull;
    const guild = bot.guild(target.guildId, { signal: watch.signal });
    const roleIds = roleId === null ? undefined : [roleId];
    if ((await guild.addMember(platformId, takeToken, roleIds)) === 'joined') return 'joined';
    watch.setSending(false);
    const present = isRepeated() ? await findPresent(guild, platformId) : undefined;
    const hasRole = roleId === null || present?.roleIds.includes(roleId);
    // To those who are there already, the platform gives no roles along the way.
    if (roleId !== null && !hasRole) await giveRole(guild, platformId, roleId);
    const isOurs = isRepeated() && !wasThereBefore(present?.joinedAt ?? null, createdAt);
    return isOurs ? 'joined' : 'alreadyMember';
  });

const isGone = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'unknownMember';

/** Undefined for one who has left since. */
const findPresent = (
  guild: GuildPlatform,
  platformId: string,
): Promise<PresentMember | undefined> =>
  guild.readMember(platformId).catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });

const giveRole = async (guild: GuildPlatform, platformId: string, roleId: string) => {
  await guild.giveRole(platformId, roleId).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
};

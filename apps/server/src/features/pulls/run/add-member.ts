import type { Secret } from '../../../kernel/secret.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { CurrentMember, GuildPlatform } from '../../../platform/port.ts';
import { wasMemberBefore } from '../rules.ts';
import { withBot } from './bot-access.ts';
import type { PullRun } from './pull-run.ts';

type Addition = {
  platformId: string;
  /** The bot that their token was given to. */
  botId: string;
  /** Called at the moment the request is sent. */
  openToken(): Promise<Secret | undefined>;
  /** Whether the answered call repeats one whose outcome is unknown. */
  isRepeated(): boolean;
};

/** Adds one member to the target, with the role if there is one. */
export const addMember = (
  run: PullRun,
  { platformId, botId, openToken, isRepeated }: Addition,
): Promise<'joined' | 'alreadyMember'> =>
  withBot(run, botId, async (bot) => {
    const { target, watch } = run;
    const { roleId, createdAt } = run.pull;
    const guild = bot.guild(target.guildId, { signal: watch.signal });
    const roleIds = roleId === null ? undefined : [roleId];
    if ((await guild.addMember(platformId, openToken, roleIds)) === 'joined') return 'joined';
    watch.setSending(false);
    const member = isRepeated() ? await findMember(guild, platformId) : undefined;
    const hasRole = roleId === null || member?.roleIds.includes(roleId);
    // The call gives no roles to people who are members already.
    if (roleId !== null && !hasRole) await giveRole(guild, platformId, roleId);
    const isOurs = isRepeated() && !wasMemberBefore(member?.joinedAt ?? null, createdAt);
    return isOurs ? 'joined' : 'alreadyMember';
  });

const isGone = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'unknownMember';

/** Undefined where the person has left since. */
const findMember = (guild: GuildPlatform, platformId: string): Promise<CurrentMember | undefined> =>
  guild.readMember(platformId).catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });

const giveRole = async (guild: GuildPlatform, platformId: string, roleId: string) => {
  await guild.giveRole(platformId, roleId).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
};

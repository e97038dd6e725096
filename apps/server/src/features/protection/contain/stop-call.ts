import { onBehalfOf } from '../../../platform/client/breaker.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { type BotMember, botPermissionsIn, readBotMember } from '../../../platform/permissions.ts';
import type { BotPlatform, CurrentMember, Guild } from '../../../platform/port.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import type { ExecutorCode } from '../table.ts';
import { planStop, type StopPlan } from './plan-stop.ts';

/** Somebody as they were right now, and how they would be stopped. */
export type StopTarget = {
  platformId: string;
  username: string;
  isBot: boolean;
  plan: StopPlan;
};

export type SeenGuild = { guild: Guild; bot: BotMember };

type InGuild = { accountId: string; guildId: string };

type ReadOptions = { signal: AbortSignal; isUrgent?: boolean };

/** The guild, and the bot in it, on which it depends who can be stopped. */
export const readSeenGuild = (
  platform: BotPlatform,
  { accountId, guildId }: InGuild,
  options: ReadOptions,
): Promise<SeenGuild> =>
  onBehalfOf(accountId, async () => {
    const [guild, bot] = await Promise.all([
      platform.guild(guildId, options).read(),
      readBotMember(platform, guildId, options),
    ]);
    return { guild, bot };
  });

/** The platform's largest pages: ten of them are read within a second or two. */
const mostMemberPages = 10;

/** All members of a guild; undefined where there are too many of them to be read ahead. */
export const readAllMembers = (
  platform: BotPlatform,
  { accountId, guildId }: InGuild,
  signal: AbortSignal,
): Promise<CurrentMember[] | undefined> =>
  onBehalfOf(accountId, async () => {
    const calls = platform.guild(guildId, { signal });
    const all: CurrentMember[] = [];
    for (let page = 0; page < mostMemberPages; page++) {
      const { members, isLast } = await calls.readMemberPage(all.at(-1)?.userId ?? '0');
      all.push(...members);
      if (isLast) return all;
    }
    return undefined;
  });

/** Undefined where they are not in the guild. */
export const readStopTarget = (
  platform: BotPlatform,
  { accountId, guildId }: InGuild,
  platformId: string,
  { seen, signal }: { seen: Promise<SeenGuild>; signal: AbortSignal },
): Promise<StopTarget | undefined> =>
  onBehalfOf(accountId, async () => {
    const reading = platform.guild(guildId, { signal, isUrgent: true }).readMember(platformId);
    const [{ guild, bot }, member] = await Promise.all([
      seen,
      reading.catch((error: unknown) => {
        if (error instanceof PlatformFailure && isGone(error)) return undefined;
        throw error;
      }),
    ]);
    if (!member) return undefined;
    const ranked = { guildId, ownerId: guild.ownerId, roles: guild.roles };
    const plan = planStop(member, { guild: ranked, bot: botPermissionsIn(bot, ranked) });
    return { platformId, username: member.username, isBot: member.isBot, plan };
  });

const isGone = ({ kind }: PlatformFailure): boolean =>
  kind === 'unknownMember' || kind === 'unknownUser';

/** `isRefused`: the platform did not let the bot do it, so nothing was taken. */
export type StopOutcome = {
  status: 'stopped' | 'unstoppable';
  code: ExecutorCode | null;
  isRefused?: true;
};

export const goneOutcome: StopOutcome = { status: 'stopped', code: 'GONE' };

/** Takes the roles, or removes the bot. What fails for a while only is thrown. */
export const callStop = (
  platform: BotPlatform,
  { accountId, guildId }: InGuild,
  { platformId, plan }: Pick<StopTarget, 'platformId' | 'plan'>,
  signal: AbortSignal,
): Promise<StopOutcome> =>
  onBehalfOf(accountId, async () => {
    const reason = auditReasons.stop();
    const calls = platform.guild(guildId, { signal, reason, isUrgent: true });
    const { take, held, isKicked, code } = plan;
    try {
      if (isKicked) await calls.kick(platformId);
      else if (take.length > 0) {
        await calls.editMember(platformId, { roleIds: held.filter((id) => !take.includes(id)) });
      }
      return { status: code === null ? 'stopped' : 'unstoppable', code };
    } catch (error) {
      if (error instanceof PlatformFailure && isGone(error)) return goneOutcome;
      if (error instanceof PlatformFailure && isForbidden(error)) {
        return { status: 'unstoppable', code: code ?? 'MISSING_PERMISSION', isRefused: true };
      }
      throw error;
    }
  });

const isForbidden = ({ kind }: PlatformFailure): boolean =>
  kind === 'missingPermission' || kind === 'noAccess' || kind === 'twoFactorRequired';

import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../../../kernel/secret.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { giveOverwrites, type SavedOverwrites } from '../overwrites/give-overwrites.ts';
import {
  findMember,
  giveMissing,
  isMemberGone,
  isRefusalOfRoles,
  isWithheld,
} from '../roles/give-missing.ts';
import { askForPull, currentGiving, noteWithheld, readGiving } from '../roles/giving.ts';
import { type Wish, wishFor } from '../roles/map-roles.ts';
import { wasMemberBefore } from '../rules.ts';
import { withBot } from './bot-access.ts';
import type { PullRun } from './pull-run.ts';

type Addition = {
  platformId: string;
  /** The bot that their token was given to. */
  botId: string;
  /** What the backup has of them, if anything. */
  saved: { nick: string | null; roleIds: string[] } | undefined;
  overwrites: SavedOverwrites | undefined;
  /** Called at the moment the request is sent. */
  openToken(): Promise<Secret | undefined>;
  /** Whether the answered call repeats one whose outcome is unknown. */
  isRepeated(): boolean;
};

type Asking = ReturnType<typeof askForPull>;

type Added = {
  result: 'joined' | 'alreadyMember';
  /** The platform refused what the backup has of them; they are there all the same. */
  areRolesRefused: boolean;
};

/** Adds one member to the target, with the role if there is one, and what the backup has of them. */
export const addMember = (run: PullRun, addition: Addition): Promise<Added> =>
  withBot(run, addition.botId, async (bot) => {
    const { platformId, botId, isRepeated } = addition;
    const reason = auditReasons.pull(run.owner.pullId);
    const guild = bot.guild(run.target.guildId, { signal: run.watch.signal, reason });
    const asking = (roleIds: readonly string[]) =>
      askForPull(run, { bot, botId, platformId }, roleIds);
    const { answer, wish, areRolesRefused } = await join(run, guild, addition, asking);
    run.watch.setSending(false);
    if (answer === 'joined') {
      const isWhole = await giveBackOverwrites(run, guild, addition, new Date());
      return { result: 'joined', areRolesRefused: areRolesRefused || !isWhole };
    }
    const isRead = isRepeated() || wish || addition.overwrites;
    const member = isRead ? await findMember(guild, platformId) : undefined;
    // The call gives nothing to people who are members already.
    const isGiven =
      !wish || !member || (await giveMissing(guild, member, wish, run.givings.get(botId), asking));
    const isOurs = isRepeated() && !wasMemberBefore(member?.joinedAt ?? null, run.pull.createdAt);
    const { roleId } = run.pull;
    const isRoleDue = roleId !== null && !member?.roleIds.includes(roleId);
    if (isRoleDue && !(wish && member && isGiven))
      await giveRole(run, guild, addition, asking([roleId]));
    const joinedAt = new Date(member?.joinedAt ?? 0);
    const isWhole = await giveBackOverwrites(run, guild, addition, joinedAt);
    return {
      result: isOurs ? 'joined' : 'alreadyMember',
      areRolesRefused: areRolesRefused || !isGiven || !isWhole,
    };
  });

/** Who has not left since the backup has all that nobody took from them. False where some is refused. */
const giveBackOverwrites = async (
  run: PullRun,
  guild: GuildPlatform,
  { platformId, botId, overwrites }: Addition,
  joinedAt: Date,
): Promise<boolean> => {
  if (!overwrites || joinedAt <= overwrites.savedAt) return true;
  const giving = await currentGiving(run, botId);
  if (!giving) return true;
  const { accountId } = run.owner;
  const person = { accountId, platformId, bot: giving.bot };
  return giveOverwrites(run.dependencies.db, guild, overwrites, person);
};

/** Joins with all that is to be given back. A refusal of that does not cost the member the join. */
const join = async (
  run: PullRun,
  guild: GuildPlatform,
  addition: Addition,
  asking: (roleIds: readonly string[]) => Asking,
) => {
  const { platformId, botId, openToken } = addition;
  const add = async ({ roleIds, nick }: Wish) => {
    const { ask, verdict } = asking(roleIds);
    const answer = await guild.addMember(platformId, openToken, { roleIds: ask, nick });
    await noteWithheld(run, botId, verdict);
    return answer;
  };
  const tryWith = async (wish: Wish) => {
    try {
      return { answer: await add(wish), wish, areRolesRefused: false };
    } catch (error) {
      if (!isRefusalOfRoles(error)) throw error;
      run.watch.setSending(false);
      return undefined;
    }
  };
  const { wish: first, isSuspended } = await findWish(run, addition);
  const joined =
    first && ((await tryWith(first)) ?? (await tryLess(run, addition, first, tryWith)));
  if (joined) return joined;
  const answer = await add(ownWish(run));
  return { answer, wish: undefined, areRolesRefused: isSuspended || first !== undefined };
};

/** Without anything of the backup. */
const ownWish = ({ pull: { roleId } }: PullRun): Wish => ({
  roleIds: roleId === null ? [] : [roleId],
  nick: undefined,
});

/** After so many refusals in a row no more are provoked, until the target is read again. */
const maxRefusals = 5;

/** Undefined where the backup has nothing that can be given back. */
const findWish = async (
  run: PullRun,
  { botId, saved }: Addition,
): Promise<{ wish: Wish | undefined; isSuspended: boolean }> => {
  const giving = saved && (await currentGiving(run, botId));
  const wish = saved && giving && wishFor(giving, saved, run.pull.roleId);
  if (!wish || isDeepStrictEqual(wish, ownWish(run)))
    return { wish: undefined, isSuspended: false };
  const isSuspended = giving.refusals >= maxRefusals;
  return { wish: isSuspended ? undefined : wish, isSuspended };
};

type TryWith = (wish: Wish) => Promise<Joined | undefined>;
type Joined = { answer: 'joined' | 'alreadyMember'; wish: Wish; areRolesRefused: boolean };

/** By the target's state now, or else without the nickname, which the platform may dislike. */
const tryLess = async (
  run: PullRun,
  { botId, saved }: Addition,
  refused: Wish,
  tryWith: TryWith,
): Promise<Joined | undefined> => {
  const before = run.givings.get(botId);
  const giving = await readGiving(run, botId, (before?.refusals ?? 0) + 1);
  if (!saved || !giving) return undefined;
  const now = wishFor(giving, saved, run.pull.roleId);
  const less = isDeepStrictEqual(now, refused) ? { ...now, nick: undefined } : now;
  if (isDeepStrictEqual(less, refused) || isDeepStrictEqual(less, ownWish(run))) return undefined;
  const joined = await tryWith(less);
  if (joined) giving.refusals = 0;
  return joined && { ...joined, areRolesRefused: true };
};

const giveRole = async (
  run: PullRun,
  guild: GuildPlatform,
  { platformId, botId }: Addition,
  { ask, verdict }: Asking,
) => {
  const { roleId } = run.pull;
  if (roleId === null) return;
  await guild.giveRole(platformId, roleId, ask).catch((error: unknown) => {
    if (!isMemberGone(error) && !isWithheld(error)) throw error;
  });
  await noteWithheld(run, botId, verdict);
};

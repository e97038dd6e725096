import { PlatformFailure } from '../../platform/failures.ts';
import { includes, permission } from '../../platform/permissions.ts';
import type { BotPlatform, Guild } from '../../platform/port.ts';
import { type BotPowers, powersOf, readSelf } from '../../platform/powers.ts';
import { BotUnusable, useBot } from '../bots/use-bot.ts';
import { PullRefused, type PullWork } from './pull-work.ts';
import { isLossOfBot, isUnclear } from './rules.ts';

/** Throws, in words for the owner, unless the target's own bot can bring members in. */
export const demandOwnSeat = async (work: PullWork): Promise<void> => {
  for (;;) {
    try {
      const fault = await findFault(work, work.target.botId);
      if (fault) throw new PullRefused(fault);
      return;
    } catch (error) {
      work.watch.demandWanted();
      if (!isPassing(error)) throw error;
      await work.outage.wait(error.retryAfterMs);
    }
  }
};

const isPassing = (error: unknown): error is PlatformFailure =>
  error instanceof PlatformFailure &&
  (isUnclear(error.kind) || error.kind === 'breakerOpen' || error.kind === 'rateLimited');

/** Members' tokens serve the bot they were given to, which need not be the target's own. */
export const hasSeat = async (work: PullWork, botId: string): Promise<boolean> => {
  const known = botId === work.target.botId || work.seats.get(botId);
  if (known !== undefined) return known;
  const isFine = await findFault(work, botId).then(
    (fault) => fault === undefined,
    (error: unknown) => {
      if (!isLossOfSeat(error)) throw error;
      return false;
    },
  );
  work.seats.set(botId, isFine);
  return isFine;
};

export const isLossOfSeat = (error: unknown): boolean =>
  error instanceof BotUnusable || (error instanceof PlatformFailure && isLossOfBot(error.kind));

/** Works through the bot that somebody's token was given to: nearly always the target's own. */
export const withBot = <Outcome>(
  { tools, owner, target, bot }: PullWork,
  botId: string,
  act: (bot: BotPlatform) => Promise<Outcome>,
): Promise<Outcome> =>
  botId === target.botId ? act(bot) : useBot(tools, { botId, accountId: owner.accountId }, act);

/** Asked before the first member is called, rather than learned from a refusal of each of them. */
const findFault = (work: PullWork, botId: string) =>
  withBot(work, botId, async (bot) => {
    const { guildId } = work.target;
    const options = { signal: work.watch.signal };
    // One after the other: a token that is dead is refused once.
    const guild = await bot.guild(guildId, options).read();
    const powers = powersOf(await readSelf(bot, guildId, options), { guildId, ...guild });
    return faultIn(guild, powers, { guildId, roleId: work.pull.roleId });
  });

type Wish = { guildId: string; roleId: string | null };

const faultIn = (
  { roles }: Guild,
  powers: BotPowers,
  { guildId, roleId }: Wish,
): string | undefined => {
  if (!includes(powers.permissions, permission.createInstantInvite)) {
    return 'The bot may not bring people in: give it the permission to create invites, then pull again';
  }
  if (roleId === null) return undefined;
  const role = roles.find(({ id }) => id === roleId);
  if (!role || roleId === guildId) {
    return 'The role to give is not in the server: name one of its roles, or none';
  }
  if (role.isManaged) return `The role ${role.name} belongs to an integration: name another`;
  if (!includes(powers.permissions, permission.manageRoles)) {
    return 'The bot may not give roles: give it the permission to manage roles, then pull again';
  }
  if (powers.reaches(role)) return undefined;
  return `The role ${role.name} stands above the bot: move the bot's own role higher, then pull again`;
};

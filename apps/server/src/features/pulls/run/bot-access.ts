import { PlatformFailure } from '../../../platform/failures.ts';
import {
  type BotPermissions,
  botPermissionsIn,
  includes,
  permission,
  readBotMember,
} from '../../../platform/permissions.ts';
import type { BotPlatform, Guild } from '../../../platform/port.ts';
import { BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { followRole } from '../roles/follow-role.ts';
import { isBotLoss, isOutcomeUnknown } from '../rules.ts';
import type { PullRun } from './pull-run.ts';
import { PullRefused } from './target.ts';

/** Throws, with a message for the owner, unless the target's own bot can add members. */
export const requireBotAccess = async (run: PullRun): Promise<void> => {
  for (;;) {
    try {
      const obstacle = await findObstacle(run, run.target.botId);
      if (obstacle) throw new PullRefused(obstacle);
      return;
    } catch (error) {
      run.watch.throwIfStopped();
      if (!isTemporary(error)) throw error;
      await run.outage.wait(error.retryAfterMs);
    }
  }
};

const isTemporary = (error: unknown): error is PlatformFailure =>
  error instanceof PlatformFailure &&
  (isOutcomeUnknown(error.kind) || error.kind === 'breakerOpen' || error.kind === 'rateLimited');

/** A member's token is valid for the bot it was given to, which need not be the target's own. */
export const hasBotAccess = async (run: PullRun, botId: string): Promise<boolean> => {
  const known = botId === run.target.botId || run.botAccess.get(botId);
  if (known !== undefined) return known;
  const hasAccess = await findObstacle(run, botId).then(
    (obstacle) => obstacle === undefined,
    (error: unknown) => {
      if (!isBotAccessLost(error)) throw error;
      return false;
    },
  );
  run.botAccess.set(botId, hasAccess);
  return hasAccess;
};

export const isBotAccessLost = (error: unknown): boolean =>
  error instanceof BotUnusable || (error instanceof PlatformFailure && isBotLoss(error.kind));

/** Acts through the bot that a token was given to: nearly always the target's own. */
export const withBot = <Outcome>(
  { dependencies, owner, target, bot }: PullRun,
  botId: string,
  act: (bot: BotPlatform) => Promise<Outcome>,
): Promise<Outcome> =>
  botId === target.botId
    ? act(bot)
    : useBot(dependencies, { botId, accountId: owner.accountId }, act);

/** Checked before the first member, rather than learned from a refusal for each of them. */
const findObstacle = (run: PullRun, botId: string) =>
  withBot(run, botId, async (bot) => {
    const { guildId } = run.target;
    const options = { signal: run.watch.signal };
    // One after the other: a token that is dead is refused once.
    const guild = await bot.guild(guildId, options).read();
    const member = await readBotMember(bot, guildId, options);
    const permissions = botPermissionsIn(member, { guildId, ...guild });
    await followRole(run, guild.roles);
    return obstacleIn(guild, permissions, { guildId, roleId: run.pull.roleId });
  });

const obstacleIn = (
  { roles }: Guild,
  bot: BotPermissions,
  { guildId, roleId }: { guildId: string; roleId: string | null },
): string | undefined => {
  if (!includes(bot.permissions, permission.createInstantInvite)) {
    return 'The bot may not bring people in: give it the permission to create invites, then pull again';
  }
  if (roleId === null) return undefined;
  const role = roles.find(({ id }) => id === roleId);
  if (!role || roleId === guildId) {
    return 'The role to give is not in the server: name one of its roles, or none';
  }
  if (role.isManaged) return `The role ${role.name} belongs to an integration: name another`;
  if (!includes(bot.permissions, permission.manageRoles)) {
    return 'The bot may not give roles: give it the permission to manage roles, then pull again';
  }
  if (bot.reaches(role)) return undefined;
  return `The role ${role.name} stands above the bot: move the bot's own role higher, then pull again`;
};

import { PlatformFailure } from '../../../platform/failures.ts';
import type { BotPlatform, GuildPlatform } from '../../../platform/port.ts';
import type { BotDependencies } from '../../bots/use/use-bot.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import { judgeRoles } from '../../servers/power/judge-roles.ts';
import { reportWithheld } from '../../servers/power/tell-power.ts';
import { forgetInvite, type LivingRecall } from './queries.ts';
import { openCode } from './sealed-code.ts';

export type InGuild = { bot: BotPlatform; guildId: string; guild: GuildPlatform };

/**
 * An invite gives its roles for a week, whatever becomes of them: it is ended where one of them gives power
 * by now, and another is to be made. Tells whether it is so.
 */
export const endIfPowerful = async (
  dependencies: BotDependencies & { findHeldBack: FindHeldBack },
  { bot, guildId, guild }: InGuild,
  recall: LivingRecall,
  serverId: string,
): Promise<boolean> => {
  const code = openCode(dependencies.ring, recall);
  const roles = (await guild.readInviteRoles(code)).map((roleId) => ({ roleId }));
  const { accountId } = recall;
  const { coming } = await dependencies.findHeldBack(dependencies.db, { accountId, serverId });
  const { withheld } = await judgeRoles(bot, guildId, roles, { coming, notOlderThanMs: 0 });
  if (withheld.length === 0) return false;
  await closeInvite({ bot, guild }, code);
  await forgetInvite(dependencies.db, recall);
  const server = { accountId: recall.accountId, serverId };
  await reportWithheld(dependencies, server, 'VERIFIED_ROLE', withheld);
  return true;
};

/** An invite for nobody would be one for everybody, so it is deleted, or left to the bot alone. */
export const closeInvite = (
  { bot, guild }: Pick<InGuild, 'bot' | 'guild'>,
  code: string,
): Promise<void> =>
  guild.deleteInvite(code).catch(async (error: unknown) => {
    const isForbidden = error instanceof PlatformFailure && error.kind === 'missingPermission';
    if (!isForbidden) throw error;
    await guild.setInviteUsers(code, [(await bot.readBot()).userId]);
  });

import { botPermissionsIn, readBotMember } from '../../../platform/permissions.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import { type BotDependencies, type BotOwner, readIntentsOf } from '../../bots/use/use-bot.ts';
import { obstacleIn } from '../rules.ts';

type RoleRequest = { guildId: string; verifiedRoleId: string; roleId: string | null };

/**
 * Why the bot cannot list the members of the guild or give them the role, if so: checked once, rather
 * than learned from a refusal for each of them.
 */
export const openGuild = async (
  dependencies: Pick<BotDependencies, 'db'>,
  { bot, owner }: { bot: BotPlatform; owner: BotOwner },
  request: RoleRequest,
  signal: AbortSignal,
): Promise<{ obstacle: string | undefined }> => {
  const { guildId } = request;
  // One after the other: a token that is dead is refused once.
  const guild = await bot.guild(guildId, { signal }).read();
  const member = await readBotMember(bot, guildId, { signal });
  const obstacle = obstacleIn(guild, botPermissionsIn(member, { guildId, ...guild }), request);
  if (obstacle) return { obstacle };
  const intents = await readIntentsOf(dependencies, owner, bot, signal);
  return { obstacle: intents.includes('GUILD_MEMBERS') ? undefined : intentMissing };
};

const intentMissing =
  "The bot may not list the members: switch on the Server Members intent of the bot's application, then start again";

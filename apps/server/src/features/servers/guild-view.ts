import type { GuildView } from '@holdfast/contract';
import { type FailureKind, PlatformFailure } from '../../platform/failures.ts';
import type { Channel, Role } from '../../platform/guild.ts';
import { byRank } from '../../platform/powers.ts';
import { type BotOwner, type BotTools, BotUnusable, useBot } from '../bots/use-bot.ts';

/** Names to choose from, or why there are none. */
export type ViewGuild = (
  owner: BotOwner,
  guildId: string,
) => Promise<GuildView | { failure: string }>;

/** Somebody waits for the answer. */
const patienceMs = 3000;

export const createGuildView =
  (tools: BotTools): ViewGuild =>
  async (owner, guildId) => {
    const options = { attempts: 1, signal: AbortSignal.timeout(patienceMs) };
    try {
      return await useBot(tools, owner, async (bot) => {
        const guild = bot.guild(guildId, options);
        const [{ settings, roles }, channels] = await Promise.all([
          guild.read(),
          guild.readChannels(),
        ]);
        return {
          name: settings.name,
          roles: givableRoles(roles, guildId).map(roleView),
          channels: inShownOrder(channels).map(({ id, name, kind }) => ({ id, name, type: kind })),
        };
      });
    } catch (error) {
      return { failure: sentenceOf(error) };
    }
  };

/** Everybody has the role of the guild's own id, and nobody can give one that an integration made. */
const givableRoles = (roles: Role[], guildId: string): Role[] =>
  roles
    .filter(({ id, isManaged }) => id !== guildId && !isManaged)
    .sort((one, other) => byRank(other, one));

const roleView = ({ id, name, colors: { primary } }: Role) => ({
  ...{ id, name },
  color: primary === 0 ? null : `#${primary.toString(16).padStart(6, '0')}`,
});

/** Channels without a category come first, then each category with what it holds below it. */
const inShownOrder = (channels: Channel[]): Channel[] => {
  const byPosition = channels.toSorted((one, other) => one.position - other.position);
  const below = (parentId: string | null) =>
    byPosition.filter((channel) => channel.parentId === parentId && channel.kind !== 'category');
  const categories = byPosition.filter(({ kind }) => kind === 'category');
  return [...below(null), ...categories.flatMap((category) => [category, ...below(category.id)])];
};

const sentences: Partial<Record<FailureKind, string>> = {
  botTokenDead: "The platform refuses the bot's token: give the bot a new one",
  missingPermission: 'The bot may not see the roles and channels of this server',
  noAccess: 'The bot is not in this server: invite it first',
  unknownGuild: 'The platform does not know this server, or the bot is not in it',
  rateLimited: 'The platform asks us to wait: try again in a minute',
  breakerOpen: 'The platform refused too many of our calls lately: try again in ten minutes',
};

const sentenceOf = (error: unknown): string => {
  if (error instanceof BotUnusable) return error.message;
  if (!(error instanceof PlatformFailure)) throw error;
  return sentences[error.kind] ?? 'The platform gave no answer: try again later';
};

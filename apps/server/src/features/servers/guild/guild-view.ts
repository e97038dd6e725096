import type { GuildView } from '@holdfast/contract';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, Role } from '../../../platform/guild.ts';
import {
  compareRank,
  dangerousNames,
  grantsOf,
  isVisibleToEveryone,
} from '../../../platform/permissions.ts';
import {
  type BotDependencies,
  type BotOwner,
  BotUnusable,
  useBot,
} from '../../bots/use/use-bot.ts';

/** The roles and channels of a guild to choose from, or why they cannot be read. */
export type ReadGuildView = (
  owner: BotOwner,
  guildId: string,
) => Promise<GuildView | { failure: string }>;

/** A request waits for the answer. */
const timeoutMs = 3000;

export const createGuildViewReader =
  (dependencies: BotDependencies): ReadGuildView =>
  async (owner, guildId) => {
    const options = { attempts: 1, signal: AbortSignal.timeout(timeoutMs) };
    try {
      return await useBot(dependencies, owner, async (bot) => {
        const guild = bot.guild(guildId, options);
        const [{ settings, roles }, channels] = await Promise.all([
          guild.read(),
          guild.readChannels(),
        ]);
        return {
          name: settings.name,
          roles: assignableRoles(roles, guildId).map(roleView(channels)),
          channels: inDisplayOrder(channels).map(channelView(roles, guildId)),
        };
      });
    } catch (error) {
      return { failure: messageOf(error) };
    }
  };

/** Without the role of all members, which has the guild's id, and roles of integrations. */
const assignableRoles = (roles: Role[], guildId: string): Role[] =>
  roles
    .filter(({ id, isManaged }) => id !== guildId && !isManaged)
    .sort((one, other) => compareRank(other, one));

const roleView = (channels: Channel[]) => (role: Role) => ({
  ...{ id: role.id, name: role.name },
  color: role.colors.primary === 0 ? null : `#${role.colors.primary.toString(16).padStart(6, '0')}`,
  dangerousPermissions: dangerousNames(grantsOf(role, channels)),
});

const channelView = (roles: Role[], guildId: string) => {
  const everyone = roles.find(({ id }) => id === guildId)?.permissions ?? 0n;
  return ({ id, name, kind, overwrites }: Channel) => ({
    ...{ id, name, type: kind },
    isPrivate: !isVisibleToEveryone(BigInt(everyone), overwrites, guildId),
  });
};

/** Channels without a category first, then each category with its channels, as the platform shows them. */
const inDisplayOrder = (channels: Channel[]): Channel[] => {
  const byPosition = channels.toSorted((one, other) => one.position - other.position);
  const below = (parentId: string | null) =>
    byPosition.filter((channel) => channel.parentId === parentId && channel.kind !== 'category');
  const categories = byPosition.filter(({ kind }) => kind === 'category');
  return [...below(null), ...categories.flatMap((category) => [category, ...below(category.id)])];
};

const messages: Partial<Record<FailureKind, string>> = {
  botTokenDead: "The platform refuses the bot's token: give the bot a new one",
  missingPermission: 'The bot may not see the roles and channels of this server',
  noAccess: 'The bot is not in this server: invite it first',
  unknownGuild: 'The platform does not know this server, or the bot is not in it',
  rateLimited: 'The platform asks us to wait: try again in a minute',
  breakerOpen: 'The platform refused too many of our calls lately: try again in ten minutes',
};

/** Why the platform could not be asked; what is not its failure is thrown. */
export const messageOf = (error: unknown): string => {
  if (error instanceof BotUnusable) return error.message;
  if (!(error instanceof PlatformFailure)) throw error;
  return messages[error.kind] ?? 'The platform gave no answer: try again later';
};

import type { LimitCode, PrivilegedIntent } from '@holdfast/contract';
import type { Role } from '../../../platform/guild.ts';
import {
  type BotMember,
  botPermissionsIn,
  compareRank,
  includes,
} from '../../../platform/permissions.ts';
import { neededPermissions } from '../contain/needed-permissions.ts';
import { destructive } from '../contain/plan-stop.ts';

/** `about`: the permissions or roles that it is about, whatever they are called. */
export type Limit = {
  code: LimitCode;
  detail: string;
  about?: string[];
  /** Whether raids cannot be noticed or answered because of it. */
  isForRaids?: boolean;
};

/** What is known of a server without asking the platform. */
export type KnownServer = {
  isConnected: boolean;
  lastGoodBackupId: string | null;
  /** The privileged intents of its bot; null until they were read. */
  intents: PrivilegedIntent[] | null;
};

/** What protection cannot do at present, and what to change. */
export const limitsOfServer = (server: KnownServer): Limit[] => [
  ...when(
    !server.isConnected,
    'NOT_CONNECTED',
    'The bot is not connected, so nothing is noticed at present. Switch it on, or see on its page what the platform refuses.',
  ),
  ...limitsOfIntents(server.intents),
  ...when(
    server.lastGoodBackupId === null,
    'NO_GOOD_BACKUP',
    'There is no good backup, so what an attacker destroys cannot be repaired. Take a backup.',
  ),
];

export const limitsOfIntents = (intents: KnownServer['intents']): Limit[] =>
  intents === null || intents.includes('GUILD_MEMBERS')
    ? []
    : [
        {
          code: 'MISSING_INTENT',
          detail:
            'The bot does not hear who joins, so raids are not noticed. Switch the intent GUILD_MEMBERS on for it on the platform.',
          isForRaids: true,
        },
      ];

type SeenGuild = { guildId: string; ownerId: string; roles: readonly Role[] };

/** The same for its guild, as the platform has it. */
export const limitsInGuild = (guild: SeenGuild, member: BotMember, now: Date): Limit[] => {
  const bot = botPermissionsIn(member, guild);
  const tooHigh = guild.roles
    .filter((role) => role.id !== guild.guildId && gives(role) && !bot.reaches(role))
    // Nobody but the bot has the role that came with it.
    .filter((role) => !(role.isManaged && bot.holds(role.id)))
    .toSorted((one, other) => compareRank(other, one));
  const everyone = guild.roles.find(({ id }) => id === guild.guildId);
  return [
    ...(bot.isAdministrator ? [] : limitsOfTimeOut(member, now)),
    ...neededPermissions
      .filter(({ bit }) => !includes(bot.permissions, bit))
      .map(({ bit, detail, isForRaids }) => ({
        ...{ code: 'MISSING_PERMISSION' as const, detail, about: [`${bit}`], isForRaids },
      })),
    ...when(
      tooHigh.length > 0,
      'ROLE_TOO_HIGH',
      `Whoever has one of these roles cannot be stopped, because the bot's highest role is not above them: ${namesOf(tooHigh)}. Move the bot's role above them in the settings of the server.`,
      tooHigh.map(({ id }) => id),
    ),
    ...when(
      everyone !== undefined && gives(everyone),
      'ROLE_TOO_HIGH',
      'Every member may destroy something, because the role @everyone has dangerous permissions, and it cannot be taken from anybody. Remove these permissions from it.',
      [guild.guildId],
    ),
    ...when(
      guild.ownerId !== bot.userId,
      'OWNER',
      'Nobody can stop the owner of the server. What their account does is noticed and reported all the same: protect it with a second factor on the platform.',
    ),
  ];
};

/** The platform leaves to whoever is timed out hardly more than to look on. */
const limitsOfTimeOut = ({ timedOutUntil }: BotMember, now: Date): Limit[] => {
  if (!timedOutUntil || new Date(timedOutUntil) <= now) return [];
  const until = new Date(timedOutUntil).toISOString();
  const detail = `The bot is timed out until ${until.slice(0, 10)} at ${until.slice(11, 16)} UTC: until then it neither learns who did what nor stops anybody. End its time-out in the settings of the server's members.`;
  return [{ code: 'TIMED_OUT', detail, about: [until], isForRaids: true }];
};

const gives = (role: Role): boolean => (BigInt(role.permissions) & destructive) !== 0n;

const mostNames = 10;

const namesOf = (roles: readonly Role[]): string => {
  const names = roles.slice(0, mostNames).map(({ name }) => `“${name}”`);
  const rest = roles.length - names.length;
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
};

const when = (holds: boolean, code: LimitCode, detail: string, about?: string[]): Limit[] =>
  holds ? [{ code, detail, ...(about && { about }) }] : [];

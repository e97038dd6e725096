import { z } from 'zod';
import { bot } from '../bots.ts';
import { count, idParams, platformId, secretText, url, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { guildView } from './overview.ts';

/** What the set-up of a bot and of a server asks of the platform, so that nobody has to copy an id. */

/** FULL: all that a complete restore needs. LIMITED: only what the bot does itself. */
const inviteKinds = ['FULL', 'LIMITED'] as const;

const invite = z.object({
  kind: z.enum(inviteKinds),
  url: url.describe('Adds the bot to a guild, with exactly these permissions.'),
  permissions: z.array(
    z.object({
      permission: z.string().meta({ example: 'MANAGE_ROLES' }),
      reason: z.string().meta({ example: 'Gives the verified role.' }),
    }),
  ),
  loses: z.array(z.string()).describe('What does not work with these permissions alone.'),
});

const links = z.object({
  clientId: platformId,
  redirectUri: url.describe('Must be among the redirects of the application.'),
  portal: z
    .object({ general: url, oauth: url, bot: url })
    .describe("The pages of the application in the platform's developer portal."),
  invites: z.array(invite),
});

const state = z
  .object({
    isRedirectSet: z.boolean(),
    intents: bot.shape.intents,
    guilds: count.describe('How many the bot is in.'),
  })
  .describe('As the platform has it now.');

const lookedUpBot = links.extend({
  name: z.string(),
  avatar: url,
  publicKey: z.string(),
  state,
  isSecretGood: z
    .boolean()
    .nullable()
    .describe('Null if none was sent, or the platform gave no clear answer.'),
});
export type LookedUpBot = z.output<typeof lookedUpBot>;

const botSetup = links.extend({
  eventsUrl: url.describe('Where the platform can report that a member removed the application.'),
  isPublicKeyGood: z.boolean().describe('Without a good one those reports are refused.'),
  state: state.nullable(),
  failure: z.string().nullable().describe('Why the platform could not be asked.'),
});
export type BotSetup = z.output<typeof botSetup>;

const botGuilds = z.object({
  guilds: z
    .array(
      z.object({
        platformId,
        name: z.string(),
        icon: url,
        memberCount: count.nullable(),
        serverId: uuid.nullable().describe('Your server for this guild, if there is one.'),
      }),
    )
    .describe('Guilds that the bot is in: newest first, those without a server before others.'),
  failure: z.string().nullable().describe('Why the platform could not be asked.'),
});
export type BotGuilds = z.output<typeof botGuilds>;

const guildParams = idParams.extend({ guildId: platformId });
const noPlatform = 'The platform cannot be asked: the bot has no access, or nobody answers.';
const made = z.object({ id: platformId, name: z.string() });

export const setupEndpoints = endpointsOf('Dashboard', {
  getSetup: {
    method: 'GET',
    path: '/bots/setup',
    summary: 'Read where a bot is made',
    scope: 'bots:read',
    data: z.object({ portalUrl: url, redirectUri: url }),
  },

  lookUpBot: {
    method: 'POST',
    path: '/bots/lookup',
    effect: 'reads',
    summary: 'Look up the application of a token',
    description:
      'Nothing is stored. A token or secret that the platform refuses is answered with 400 on its field.',
    scope: 'bots:write',
    freshSecondFactor: 'never',
    body: z.object({ botToken: secretText, clientSecret: secretText.optional() }),
    data: lookedUpBot,
    refusals: {
      409: 'The platform gave no answer.',
      429: 'The platform refused too many tokens or secrets of yours.',
    },
  },

  getBotSetup: {
    method: 'GET',
    heavy: true,
    path: '/bots/:id/setup',
    summary: 'Read how the set-up of a bot stands',
    description: 'Asks the platform through the bot.',
    scope: 'bots:read',
    params: idParams,
    data: botSetup,
    refusals: { 404: 'No such bot.' },
  },

  checkBotSecret: {
    method: 'POST',
    path: '/bots/:id/check-secret',
    effect: 'reads',
    summary: 'Ask the platform whether it knows a client secret',
    description:
      'Nothing is stored. A secret that the platform refuses is answered with 400 on its field.',
    scope: 'bots:write',
    freshSecondFactor: 'never',
    params: idParams,
    body: z.object({ clientSecret: secretText }),
    data: z.object({
      isSecretGood: z.boolean().nullable().describe('Null if the platform gave no clear answer.'),
    }),
    refusals: {
      404: 'No such bot.',
      429: 'The platform refused too many tokens or secrets of yours.',
    },
  },

  listBotGuilds: {
    method: 'GET',
    heavy: true,
    path: '/bots/:id/guilds',
    summary: 'List the guilds that a bot is in',
    description: 'Asks the platform through the bot.',
    scope: 'platform:read',
    params: idParams,
    data: botGuilds,
    refusals: { 404: 'No such bot.' },
  },

  getBotGuild: {
    method: 'GET',
    heavy: true,
    path: '/bots/:id/guilds/:guildId',
    summary: 'Read the names of the roles and channels of a guild that a bot is in',
    description: 'Asks the platform through the bot.',
    scope: 'platform:read',
    params: guildParams,
    data: guildView,
    refusals: { 404: 'No such bot.', 409: noPlatform },
  },

  makeVerifiedRole: {
    method: 'POST',
    path: '/bots/:id/guilds/:guildId/verified-role',
    summary: 'Make a role for verified members',
    description:
      'It has no permissions and stands below the role of the bot. A role that was made so before is returned instead.',
    scope: 'servers:write',
    freshSecondFactor: 'never',
    params: guildParams,
    status: 201,
    data: made,
    refusals: { 404: 'No such bot.', 409: noPlatform },
  },

  makeLogChannel: {
    method: 'POST',
    path: '/bots/:id/guilds/:guildId/log-channel',
    summary: 'Make a private channel for reports',
    description:
      'Only the bot and administrators see it. A channel that was made so before is returned instead.',
    scope: 'servers:write',
    freshSecondFactor: 'never',
    params: guildParams,
    status: 201,
    data: made,
    refusals: { 404: 'No such bot.', 409: noPlatform },
  },
});

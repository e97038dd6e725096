import { z } from 'zod';
import {
  atLeastOneOf,
  deleted,
  httpUrl,
  identifyingPlatformId,
  idParams,
  name,
  platformId,
  secretText,
  text,
  timestamp,
  url,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { type Conditions, provided, setTo } from './fresh-second-factor.ts';

export const botStatuses = ['ONLINE', 'IDLE', 'DND', 'INVISIBLE', 'OFFLINE'] as const;
export const activityTypes = [
  'PLAYING',
  'STREAMING',
  'LISTENING',
  'WATCHING',
  'CUSTOM',
  'COMPETING',
] as const;

/** Whether a bot listens to what happens in its guilds. */
export const botConnections = ['CONNECTED', 'CONNECTING', 'REFUSED', 'OFF'] as const;
export type BotConnection = (typeof botConnections)[number];

/** Events and contents that the platform gives only to bots whose owner switched them on. */
export const privilegedIntents = ['GUILD_MEMBERS', 'GUILD_PRESENCES', 'MESSAGE_CONTENT'] as const;
export type PrivilegedIntent = (typeof privilegedIntents)[number];

/** Backups need these: without them, members and the texts of messages cannot be read. */
export const neededIntents: readonly PrivilegedIntent[] = ['GUILD_MEMBERS', 'MESSAGE_CONTENT'];

export const bot = z
  .object({
    id: uuid,
    clientId: platformId.describe('The application of the bot on the platform.'),
    name: z.string().meta({ example: 'Gatekeeper' }),
    avatar: url.meta({ example: 'https://cdn.example.com/gatekeeper.png' }),
    status: z.enum(botStatuses),
    activityType: z.enum(activityTypes).meta({ example: 'WATCHING' }),
    activityText: z.string().meta({ example: 'the gate' }),
    isActive: z.boolean().meta({ example: true }),
    connection: z.enum(botConnections).meta({
      description:
        'CONNECTED: it listens to its servers and shows its status and activity. CONNECTING: it will. REFUSED: the platform refuses it, see trouble. OFF: it is not active.',
      example: 'CONNECTED',
    }),
    connectedAt: timestamp.nullable().describe('Null unless it is CONNECTED.'),
    trouble: z.string().nullable().meta({
      description:
        'What the owner has to fix: the platform rejects the token or the client secret, which is not used until it is changed, or the intents of the connection.',
      example: null,
    }),
    intents: z
      .object({
        granted: z
          .array(z.enum(privilegedIntents))
          .meta({ example: ['GUILD_MEMBERS', 'MESSAGE_CONTENT'] }),
        missing: z.array(z.enum(privilegedIntents)).meta({
          description: 'Those that backups need: switch them on for the bot on the platform.',
          example: [],
        }),
      })
      .describe(
        'As the platform said before the last connection or backup; both are empty until then.',
      ),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Bot' });

const createdBot = bot
  .pick({ id: true, clientId: true, name: true, isActive: true, createdAt: true })
  .meta({ id: 'CreatedBot' });

const newBot = z
  .object({
    botToken: secretText.meta({
      description: 'Stored encrypted; no response contains it.',
      example: 'the token of your bot',
      writeOnly: true,
    }),
    clientId: identifyingPlatformId,
    clientSecret: secretText.meta({
      description: 'Stored encrypted; no response contains it.',
      example: 'the client secret of your bot',
      writeOnly: true,
    }),
    publicKey: text(1, 256).meta({
      description: 'Verifies signatures of the platform; for that it must be 64 hex digits.',
      example: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    }),
    redirectUri: httpUrl.describe('Where the platform redirects members to. It is never fetched.'),
    name: name.meta({ example: 'Gatekeeper' }),
  })
  .meta({ id: 'NewBot' });

const botChanges = atLeastOneOf(
  newBot.extend({
    status: z.enum(botStatuses),
    activityType: z.enum(activityTypes),
    activityText: text(0, 128),
    isActive: z.boolean(),
  }),
).meta({
  id: 'BotChanges',
  example: { name: 'Gatekeeper', activityType: 'WATCHING', activityText: 'the gate' },
});

const sensitiveFields: Conditions = {
  botToken: provided,
  clientId: provided,
  clientSecret: provided,
  publicKey: provided,
  redirectUri: provided,
  // An inactive bot makes no verification, backup or restore possible.
  isActive: setTo(false),
};

export const botEndpoints = endpointsOf('Bots', {
  listBots: {
    method: 'GET',
    path: '/bots',
    summary: 'List custom bots',
    scope: 'bots:read',
    data: z.array(bot),
  },
  createBot: {
    method: 'POST',
    path: '/bots',
    summary: 'Add a custom bot',
    description: 'Stores the credentials of your own bot. Token and secret are never returned.',
    scope: 'bots:write',
    freshSecondFactor: 'never',
    body: newBot,
    status: 201,
    data: createdBot,
    refusals: {
      403: 'The plan allows no further bot.',
      409: 'You already have a bot with this clientId.',
    },
  },
  updateBot: {
    method: 'PUT',
    path: '/bots/:id',
    summary: 'Change a custom bot',
    scope: 'bots:write',
    freshSecondFactor: { whenFields: sensitiveFields },
    params: idParams,
    body: botChanges,
    data: bot,
    refusals: { 404: 'No such bot.', 409: 'You already have a bot with this clientId.' },
  },
  deleteBot: {
    method: 'DELETE',
    path: '/bots/:id',
    summary: 'Delete a custom bot',
    scope: 'bots:delete',
    freshSecondFactor: 'always',
    params: idParams,
    data: deleted,
    refusals: { 404: 'No such bot.', 409: 'A server still uses this bot.' },
  },
});

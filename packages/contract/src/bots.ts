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
import { endpoint } from './endpoint.ts';
import { type Conditions, named, setTo } from './fresh-second-factor.ts';

export const botStatuses = ['ONLINE', 'IDLE', 'DND', 'INVISIBLE', 'OFFLINE'] as const;
export const activityTypes = [
  'PLAYING',
  'STREAMING',
  'LISTENING',
  'WATCHING',
  'CUSTOM',
  'COMPETING',
] as const;

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
    trouble: z.string().nullable().meta({
      description:
        'What its owner has to mend: the platform refuses its token or its client secret, and neither is used until it is changed.',
      example: null,
    }),
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
      description: 'Kept encrypted; no answer ever shows it.',
      example: 'the token of your bot',
    }),
    clientId: identifyingPlatformId,
    clientSecret: secretText.meta({
      description: 'Kept encrypted; no answer ever shows it.',
      example: 'the client secret of your bot',
    }),
    publicKey: text(1, 256).meta({
      description: 'Checks what the platform signs; for that it must be 64 hex digits.',
      example: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    }),
    redirectUri: httpUrl.describe('Where the platform sends members back to; never fetched.'),
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

const credentials: Conditions = {
  botToken: named,
  clientId: named,
  clientSecret: named,
  publicKey: named,
  redirectUri: named,
  // A bot that is off verifies nobody, backs nothing up and restores nothing.
  isActive: setTo(false),
};

export const botEndpoints = {
  listBots: endpoint({
    method: 'GET',
    path: '/bots',
    tag: 'Bots',
    summary: 'List custom bots',
    scope: 'bots:read',
    freshSecondFactor: 'never',
    status: 200,
    data: z.array(bot),
  }),
  createBot: endpoint({
    method: 'POST',
    path: '/bots',
    tag: 'Bots',
    summary: 'Add a custom bot',
    description: 'Stores the credentials of your own bot. Token and secret are never shown again.',
    scope: 'bots:write',
    freshSecondFactor: 'never',
    body: newBot,
    status: 201,
    data: createdBot,
    refusals: {
      403: 'The plan allows no further bot.',
      409: 'You already have a bot with this clientId.',
    },
  }),
  updateBot: endpoint({
    method: 'PUT',
    path: '/bots/:id',
    tag: 'Bots',
    summary: 'Change a custom bot',
    scope: 'bots:write',
    freshSecondFactor: { whenFields: credentials },
    params: idParams,
    body: botChanges,
    status: 200,
    data: bot,
    refusals: { 404: 'No such bot.', 409: 'You already have a bot with this clientId.' },
  }),
  deleteBot: endpoint({
    method: 'DELETE',
    path: '/bots/:id',
    tag: 'Bots',
    summary: 'Delete a custom bot',
    scope: 'bots:delete',
    freshSecondFactor: 'always',
    params: idParams,
    status: 200,
    data: deleted,
    refusals: { 404: 'No such bot.', 409: 'A server still uses this bot.' },
  }),
};

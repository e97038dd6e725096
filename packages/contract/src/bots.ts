import { z } from 'zod';
import {
  atLeastOneOf,
  deleted,
  httpUrl,
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
    clientId: platformId,
    name: z.string(),
    avatar: url,
    status: z.enum(botStatuses),
    activityType: z.enum(activityTypes),
    activityText: z.string(),
    isActive: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Bot' });

const createdBot = bot
  .pick({ id: true, clientId: true, name: true, isActive: true, createdAt: true })
  .meta({ id: 'CreatedBot' });

const newBot = z
  .object({
    botToken: secretText.describe('Kept encrypted; no answer ever shows it.'),
    clientId: platformId,
    clientSecret: secretText.describe('Kept encrypted; no answer ever shows it.'),
    publicKey: text(1, 256),
    redirectUri: httpUrl,
    name,
  })
  .meta({ id: 'NewBot' });

const botChanges = atLeastOneOf(
  newBot.extend({
    status: z.enum(botStatuses),
    activityType: z.enum(activityTypes),
    activityText: text(0, 128),
    isActive: z.boolean(),
  }),
).meta({ id: 'BotChanges' });

export const botEndpoints = {
  listBots: endpoint({
    method: 'GET',
    path: '/bots',
    tag: 'Bots',
    summary: 'List custom bots',
    scope: 'bots:read',
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
    params: idParams,
    status: 200,
    data: deleted,
    refusals: { 404: 'No such bot.', 409: 'A server still uses this bot.' },
  }),
};

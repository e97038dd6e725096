import { z } from 'zod';
import {
  atLeastOneOf,
  deleted,
  identifyingPlatformId,
  idParams,
  platformId,
  text,
  timestamp,
  url,
  uuid,
  visibleText,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { accountLimits } from './plans.ts';
import { pictureId } from './uploads.ts';

const panelStatuses = ['POSTED', 'MISSING', 'FAILED'] as const;
export type PanelStatus = (typeof panelStatuses)[number];

const panelFields = z.object({
  channelId: identifyingPlatformId.describe('A channel of the guild that holds messages.'),
  title: visibleText(256).meta({ example: 'Welcome to the harbour' }),
  text: text(0, 2000).meta({ example: 'Verify to see the channels.' }),
  color: z
    .int()
    .min(0)
    .max(0xff_ff_ff)
    .meta({ description: 'The bar beside the text, as a number: 0xRRGGBB.', example: 2718600 }),
  buttonText: visibleText(80).meta({ example: 'Verify' }),
  imageUploadId: pictureId.optional(),
});

const example = {
  channelId: '175928847299117063',
  title: 'Welcome to the harbour',
  text: 'Verify to see the channels.',
  color: 2718600,
  buttonText: 'Verify',
};

const newPanel = panelFields.meta({ id: 'NewPanel', example });

const panelChanges = atLeastOneOf(panelFields).meta({
  id: 'PanelChanges',
  example: { title: 'Welcome aboard', color: 2718600 },
});

const panel = z
  .object({
    id: uuid,
    serverId: uuid,
    channelId: platformId,
    title: z.string(),
    text: z.string(),
    color: z.int(),
    buttonText: z.string(),
    imageUploadId: pictureId,
    imageUrl: url.nullable(),
    messageId: platformId
      .nullable()
      .describe('The message on the platform; null where there is none.'),
    status: z
      .enum(panelStatuses)
      .describe(
        '`POSTED`: the message is in the channel. `MISSING`: it is not, because it was not posted yet, or because it or its channel was deleted. `FAILED`: the platform refused it; `error` says why.',
      ),
    error: z.string().nullable().meta({ example: null }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Panel' });

const panelParams = idParams.extend({ panelId: uuid });

export const panelEndpoints = endpointsOf('Panels', {
  listPanels: {
    method: 'GET',
    path: '/servers/:id/panels',
    summary: 'List panels',
    description:
      'A panel is a message of the bot in a channel of the guild, with a button that opens the verification page.',
    scope: 'panels:read',
    owner: 'server',
    params: idParams,
    data: z.array(panel),
  },

  createPanel: {
    method: 'POST',
    path: '/servers/:id/panels',
    summary: 'Post a panel',
    description:
      'The bot posts the message within seconds after the answer. A channel that is not in the guild is refused with 400 on `channelId`. The bot needs the permissions VIEW_CHANNEL, SEND_MESSAGES and EMBED_LINKS in the channel.',
    scope: 'panels:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: newPanel,
    status: 201,
    data: panel,
    refusals: { 403: `The server has ${accountLimits.panels} panels already.` },
  },

  updatePanel: {
    method: 'PUT',
    path: '/servers/:id/panels/:panelId',
    summary: 'Change a panel, or post it again',
    description:
      'The message is edited in place. Where it is gone it is posted again; with another `channelId` it is posted there, and the old message is removed.',
    scope: 'panels:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: panelParams,
    body: panelChanges,
    data: panel,
    refusals: { 404: 'No such server or panel.' },
  },

  deletePanel: {
    method: 'DELETE',
    path: '/servers/:id/panels/:panelId',
    summary: 'Delete a panel and its message',
    scope: 'panels:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: panelParams,
    data: deleted,
    refusals: { 404: 'No such server or panel.' },
  },
});

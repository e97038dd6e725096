import type { CommunityDocument } from '@holdfast/contract';

/** A document as somebody writes it by hand. */
export const smallDocument: CommunityDocument = {
  version: 1,
  settings: {
    name: 'Harbour',
    verificationLevel: 'LOW',
    defaultMessageNotifications: 'ONLY_MENTIONS',
    explicitContentFilter: 'DISABLED',
    preferredLocale: 'en-US',
    afkTimeoutSeconds: 300,
    systemChannel: 'Deck/general',
  },
  roles: [
    { name: 'Crew', color: '#1f8b4c', hoisted: true, permissions: ['KICK_MEMBERS'] },
    { name: '@everyone', permissions: ['VIEW_CHANNEL', 'SEND_MESSAGES'] },
  ],
  channels: [
    {
      type: 'CATEGORY',
      name: 'Deck',
      channels: [
        { type: 'TEXT', name: 'general', topic: 'Ahoy' },
        {
          type: 'TEXT',
          name: 'bridge',
          overwrites: [
            { role: '@everyone', deny: ['VIEW_CHANNEL'] },
            { role: 'Crew', allow: ['VIEW_CHANNEL'] },
          ],
        },
        { type: 'VOICE', name: 'Radio' },
      ],
    },
  ],
};

import { permission } from '../../../src/platform/permissions.ts';
import { BOT, type TestGuild } from './arbitrary-guild.ts';
import { newChannel, newRole, plainSettings } from './parts.ts';

export const guildId = '100';
export const see = permission.viewChannel.toString();
export const shut = { id: guildId, kind: 'role' as const, allow: '0', deny: see };

/** A small server: everyone sees #general, staff sees #staff. */
export const smallGuild = (): TestGuild => ({
  guildId,
  ownerId: '88',
  settings: plainSettings('Harbour'),
  roles: [
    newRole({ id: guildId, name: '@everyone', permissions: see }),
    newRole({ id: '201', name: 'Member', position: 1 }),
    newRole({
      id: '202',
      name: 'Staff',
      position: 2,
      permissions: permission.kickMembers.toString(),
    }),
    newRole({
      id: '7700',
      name: 'Holdfast',
      position: 3,
      isManaged: true,
      botId: BOT.userId,
      permissions: permission.administrator.toString(),
    }),
  ],
  channels: [
    newChannel({ id: '301', kind: 'text', name: 'general' }),
    newChannel({
      id: '302',
      kind: 'text',
      name: 'staff',
      position: 1,
      overwrites: [shut, { id: '202', kind: 'role', allow: see, deny: '0' }],
    }),
  ],
  emojis: [],
  stickers: [],
  bans: [],
  members: [],
});

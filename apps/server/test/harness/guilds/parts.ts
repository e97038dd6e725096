import { plainFields } from '../../../src/features/backups/document/read-document.ts';
import { emptySettings } from '../../../src/features/restores/verify/test-restore.ts';
import type { Ban, Channel, GuildSettings, Role } from '../../../src/platform/guild.ts';

/** Parts of a guild, with defaults for what a test does not care about. */

export const newRole = (fields: Partial<Role> & Pick<Role, 'id' | 'name'>): Role => ({
  colors: { primary: 0, secondary: null, tertiary: null },
  isHoisted: false,
  isMentionable: false,
  isManaged: false,
  botId: null,
  permissions: '0',
  position: 0,
  iconHash: null,
  unicodeEmoji: null,
  ...fields,
});

/** A ban that stands keeps the reason it was given: the same for the same person. */
export const newBan = (userId: string): Ban => ({
  userId,
  reason: Number(userId) % 2 === 0 ? null : 'Flut 🌊',
});

export const newChannel = (
  fields: Partial<Channel> & Pick<Channel, 'id' | 'kind' | 'name'>,
): Channel => ({
  parentId: null,
  position: 0,
  overwrites: [],
  ...plainFields,
  flags: 0,
  ...fields,
});

export const plainSettings = (name: string): GuildSettings => ({ ...emptySettings, name });

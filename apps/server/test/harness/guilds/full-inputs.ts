import type { ChannelKind } from '../../../src/platform/guild.ts';
import type { ChannelInput, Image, RoleInput } from '../../../src/platform/port.ts';
import { freshId } from '../simulator/platform.ts';

const pixel = Uint8Array.fromBase64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
);
export const png: Image = { contentType: 'image/png', bytes: pixel };
export const gif: Image = {
  contentType: 'image/gif',
  bytes: Uint8Array.of(71, 73, 70, 56, 57, 97),
};

export const crew: RoleInput = {
  name: 'Crew',
  colors: { primary: 0x112233, secondary: 0x445566, tertiary: null },
  isHoisted: true,
  isMentionable: true,
  permissions: '2048',
  unicodeEmoji: '⚓',
};

/** Every field filled, whether or not the kind has it. */
export const fullChannel = (kind: ChannelKind, guildId: string): ChannelInput => ({
  kind,
  name: `a-${kind}`,
  parentId: null,
  position: 3,
  overwrites: [
    { id: guildId, kind: 'role', allow: '0', deny: '1024' },
    { id: freshId(), kind: 'member', allow: '1024', deny: '2048' },
  ],
  isAgeRestricted: kind !== 'category',
  topic: 'Ships',
  slowModeSeconds: 30,
  bitrate: 32_000,
  userLimit: 7,
  rtcRegion: 'rotterdam',
  videoQualityMode: 2,
  threadArchiveMinutes: 4320,
  threadSlowModeSeconds: 10,
  tags: [{ name: 'Open', isModerated: true, emojiId: null, emojiName: '🌊' }],
  defaultReaction: { emojiId: null, emojiName: '⚓' },
  defaultSortOrder: 1,
  defaultForumLayout: 2,
  flags: 16,
});

import type { Channel } from '../../../platform/guild.ts';
import type { SectionEntry, Snapshot } from '../../backups/snapshot/snapshot.ts';

/** What a drill needs of a backup. Nothing else of it is read. */
export const structureSections = ['settings', 'roles', 'channels', 'emojis'] as const;

/** A server's rooms without anybody in them. */
export type Structure = { guildId: string } & {
  [Name in (typeof structureSections)[number]]: SectionEntry<Name>[];
};

/**
 * Takes people and pictures out of a backup: members, bans and messages are not in it, and members who
 * have an overwrite of their own get an invented number, always the same one.
 */
export const withoutPeople = (
  snapshot: Snapshot,
  { botUserId, newId }: { botUserId: string; newId: () => string },
): Structure => {
  const { guildId, settings = [], roles = [], channels = [], emojis = [] } = snapshot;
  const invented = new Map([[botUserId, botUserId]]);
  const numberOf = (userId: string): string => {
    const number = invented.get(userId) ?? newId();
    invented.set(userId, number);
    return number;
  };
  return {
    guildId,
    settings: settings.map(plainSettings),
    roles: roles.map((role) => ({ ...role, iconHash: null, icon: null })),
    channels: channels.map((channel) => withNumbers(channel, numberOf)),
    emojis: emojis.map((emoji) => ({ ...emoji, image: null })),
  };
};

const plainSettings = (settings: SectionEntry<'settings'>): SectionEntry<'settings'> => ({
  ...settings,
  ...{ iconHash: null, splashHash: null, discoverySplashHash: null, bannerHash: null },
  pictures: { icon: null, splash: null, discoverySplash: null, banner: null },
  ...{ vanityCode: null, invites: [] },
});

const withNumbers = (channel: Channel, numberOf: (userId: string) => string): Channel => ({
  ...channel,
  overwrites: channel.overwrites.map((one) =>
    one.kind === 'member' ? { ...one, id: numberOf(one.id) } : one,
  ),
});

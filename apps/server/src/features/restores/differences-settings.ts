import type { Snapshot } from '../backups/snapshot.ts';
import { channelSettings } from './action.ts';
import type { IdMap } from './id-map.ts';
import type { PresentGuild } from './step.ts';

const plainFields = [
  'name',
  'description',
  'verificationLevel',
  'defaultMessageNotifications',
  'explicitContentFilter',
  'preferredLocale',
  'afkTimeoutSeconds',
  'systemChannelFlags',
  'isProgressBarEnabled',
] as const;

/** Two servers never have the same hash of a picture: only whether there is one can be compared. */
const pictureFields = ['iconHash', 'splashHash', 'discoverySplashHash', 'bannerHash'] as const;

const switches = ['COMMUNITY', 'DISCOVERABLE', 'INVITES_DISABLED', 'RAID_ALERTS_DISABLED'];

export const settingsDifferences = (
  desired: Snapshot,
  { settings: now }: PresentGuild,
  map: IdMap,
  areChannelsRestored: boolean,
): string[] => {
  const wanted = desired.settings?.[0];
  if (!wanted) return [];
  const differing: string[] = [
    ...plainFields.filter((field) => wanted[field] !== now[field]),
    ...pictureFields.filter((field) => (wanted[field] === null) !== (now[field] === null)),
    ...switches.filter((name) => wanted.features.includes(name) !== now.features.includes(name)),
    ...channelSettings.filter((setting) => {
      const id = wanted[setting];
      // Channels that were not restored have heirs by name, which only the plan knows.
      return areChannelsRestored && (id === null ? null : map.channels[id]) !== now[setting];
    }),
  ];
  return differing.map((field) => `The settings differ in ${field}`);
};

import { isDeepStrictEqual } from 'node:util';
import type { RestoreStage } from '@holdfast/contract';
import { type SectionEntry, settingsPictures } from '../../backups/snapshot/snapshot.ts';
import { type ActionOf, plainSettings } from './action.ts';
import type { Community } from './community.ts';
import type { PlanContext } from './plan-context.ts';
import { chooseSettingsChannels } from './settings-channels.ts';
import { type DraftStep, draftStep } from './step.ts';

type Edit = Omit<ActionOf<'editSettings'>, 'do'>;
type SavedSettings = SectionEntry<'settings'>;

const simpleSwitches = ['INVITES_DISABLED', 'RAID_ALERTS_DISABLED'];
/** The features that a guild can switch on and off; the platform gives the others. */
export const featureSwitches = ['COMMUNITY', 'DISCOVERABLE', ...simpleSwitches];

/** The field with the hash of each picture, and the feature that a guild needs to have it. */
export const pictureSettings = {
  icon: { hash: 'iconHash', kind: 'guildIcon', feature: undefined },
  splash: { hash: 'splashHash', kind: 'guildSplash', feature: 'INVITE_SPLASH' },
  discoverySplash: {
    hash: 'discoverySplashHash',
    kind: 'guildDiscoverySplash',
    feature: 'DISCOVERABLE',
  },
  banner: { hash: 'bannerHash', kind: 'guildBanner', feature: 'BANNER' },
} as const satisfies Record<(typeof settingsPictures)[number], unknown>;

/** Plans the settings; where only channels are restored, the settings that name a channel. */
export const planSettings = (context: PlanContext, community: Community): DraftStep[] => {
  const saved = context.restores('settings') ? context.snapshot.settings?.[0] : undefined;
  const changes = saved ? plainChanges(context, community, saved) : {};
  const pictures = saved ? pictureChanges(context, saved) : {};
  const channels = chooseSettingsChannels(context, community);
  const isEmpty = [changes, pictures, channels].every((part) => Object.keys(part).length === 0);
  return [
    ...(community.becomes && saved ? [becomeCommunity(context, community, saved)] : []),
    ...(isEmpty ? [] : [settingsStep('finish', 'settings', { changes, channels, pictures })]),
    ...(saved ? planDiscovery(context, community, saved) : []),
  ];
};

export const settingsStep = (stage: RestoreStage, name: string, edit: Edit): DraftStep =>
  draftStep({ key: name, stage, name, action: { do: 'editSettings', ...edit } });

/** The platform requires these levels of a community; the backup of a community has them. */
const becomeCommunity = (
  { current }: PlanContext,
  { rules, updates }: Community,
  saved: SavedSettings,
): DraftStep =>
  settingsStep('community', 'becoming a community', {
    changes: {
      features: [...current.settings.features, 'COMMUNITY'],
      verificationLevel: Math.max(saved.verificationLevel, 1),
      explicitContentFilter: 2,
    },
    channels: { rulesChannelId: rules, publicUpdatesChannelId: updates },
    pictures: {},
  });

const plainChanges = (
  { current, lose }: PlanContext,
  community: Community,
  saved: SavedSettings,
): Edit['changes'] => {
  const { settings: now } = current;
  const differing = plainSettings.filter((field) => {
    // Becoming a community has set these two by then, perhaps to more than the backup says.
    const isSetBefore = field === 'verificationLevel' || field === 'explicitContentFilter';
    return saved[field] !== now[field] || (community.becomes && isSetBefore);
  });
  const isCommunitySaved = saved.features.includes('COMMUNITY');
  if (isCommunitySaved !== community.isFinally) {
    const code = isCommunitySaved ? 'communityNotStartable' : 'communityNotEndable';
    lose('settings', 'community', { code });
  }
  const features = featuresAfter(now.features, saved.features, community);
  const before = community.becomes ? [...now.features, 'COMMUNITY'] : now.features;
  return {
    ...Object.fromEntries(differing.map((field) => [field, saved[field]])),
    ...(isDeepStrictEqual(new Set(features), new Set(before)) ? {} : { features }),
  };
};

const featuresAfter = (now: string[], saved: string[], community: Community): string[] => {
  const given = now.filter((name) => name !== 'COMMUNITY' && !simpleSwitches.includes(name));
  const switched = simpleSwitches.filter((name) => saved.includes(name));
  return [...given, ...switched, ...(community.isFinally ? ['COMMUNITY'] : [])];
};

/** In a call of its own: where the platform refuses it, the other settings are not lost with it. */
const planDiscovery = (
  { current }: PlanContext,
  community: Community,
  saved: SavedSettings,
): DraftStep[] => {
  const now = current.settings.features;
  const isDiscoverable = saved.features.includes('DISCOVERABLE');
  if (isDiscoverable === now.includes('DISCOVERABLE')) return [];
  const others = featuresAfter(now, saved.features, community).filter(
    (name) => name !== 'DISCOVERABLE',
  );
  const features = isDiscoverable ? [...others, 'DISCOVERABLE'] : others;
  return [
    settingsStep('reveal', 'discovery', { changes: { features }, channels: {}, pictures: {} }),
  ];
};

/** Equal hashes mean equal pictures only within one guild. */
const pictureChanges = (
  { snapshot, current, lose }: PlanContext,
  saved: SavedSettings,
): Edit['pictures'] => {
  const isSameGuild = snapshot.guildId === current.guildId;
  const changes: Edit['pictures'] = {};
  for (const picture of settingsPictures) {
    const { hash, feature } = pictureSettings[picture];
    const savedHash = saved[hash];
    if (savedHash === current.settings[hash] && (isSameGuild || savedHash === null)) continue;
    const image = saved.pictures[picture];
    // The platform may call the same picture otherwise in another guild.
    if (image && current.pictureHashes?.[picture] === image.hash) continue;
    if (savedHash === null) changes[picture] = null;
    else if (!image) lose('settings', picture, { code: 'pictureNotStored' });
    else if (feature && !current.settings.features.includes(feature)) {
      lose('settings', picture, { code: 'pictureFeatureMissing' });
    } else changes[picture] = image;
  }
  return changes;
};

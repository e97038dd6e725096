import { isDeepStrictEqual } from 'node:util';
import { type SectionEntry, settingsPictures } from '../backups/snapshot.ts';
import type { ActionOf } from './action.ts';
import type { Community } from './community.ts';
import { chooseServersChannels } from './plan-servers-channels.ts';
import type { Part, Scene } from './scene.ts';
import type { Draft, Loss, Stage } from './step.ts';

type Edit = Omit<ActionOf<'editSettings'>, 'do'>;
type WantedSettings = SectionEntry<'settings'>;

/** The settings themselves; where only channels are restored, at least the server's own channels. */
export const planSettings = (scene: Scene, community: Community): Part => {
  const losses: Loss[] = [];
  const lose = (name: string, reason: string) => losses.push({ type: 'settings', name, reason });
  const wanted = scene.restores('settings') ? scene.desired.settings?.[0] : undefined;
  const changes = wanted ? plainChanges(scene, community, wanted, lose) : {};
  const pictures = wanted ? pictureChanges(scene, wanted, lose) : {};
  const channels = chooseServersChannels(scene, community, lose);
  const isEmpty = [changes, pictures, channels].every((part) => Object.keys(part).length === 0);
  return {
    steps: [
      ...(community.becomes && wanted ? [becomeCommunity(scene, community, wanted)] : []),
      ...(isEmpty ? [] : [settingsStep('finish', 'settings', { changes, channels, pictures })]),
      ...(wanted ? planDiscovery(scene, community, wanted) : []),
    ],
    losses,
  };
};

export const settingsStep = (stage: Stage, key: string, edit: Edit): Draft => ({
  key,
  stage,
  after: [],
  action: { do: 'editSettings', ...edit },
  type: 'settings',
  name: key,
  effect: 'update',
});

/** The platform asks for a minimum of safety together with it; a community's backup has that. */
const becomeCommunity = (
  { present }: Scene,
  { rules, updates }: Community,
  wanted: WantedSettings,
): Draft =>
  settingsStep('community', 'becoming a community', {
    changes: {
      features: [...present.settings.features, 'COMMUNITY'],
      verificationLevel: Math.max(wanted.verificationLevel, 1),
      explicitContentFilter: 2,
    },
    channels: { rulesChannelId: rules, publicUpdatesChannelId: updates },
    pictures: {},
  });

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

const switches = ['INVITES_DISABLED', 'RAID_ALERTS_DISABLED'];

const plainChanges = (
  { present }: Scene,
  community: Community,
  wanted: WantedSettings,
  lose: (name: string, reason: string) => void,
): Edit['changes'] => {
  const { settings: now } = present;
  const differing = plainFields.filter((field) => {
    // Becoming a community has set these two by then, perhaps to more than the backup says.
    const isSetBefore = field === 'verificationLevel' || field === 'explicitContentFilter';
    return wanted[field] !== now[field] || (community.becomes && isSetBefore);
  });
  const isCommunityWanted = wanted.features.includes('COMMUNITY');
  if (isCommunityWanted !== community.isFinally) {
    const reason = isCommunityWanted
      ? 'only a bot that is an administrator can make the server a community, and it needs a text channel'
      : 'only a bot that is an administrator can end it';
    lose('community', reason);
  }
  const features = featuresAfter(now.features, wanted.features, community);
  const before = community.becomes ? [...now.features, 'COMMUNITY'] : now.features;
  return {
    ...Object.fromEntries(differing.map((field) => [field, wanted[field]])),
    ...(isDeepStrictEqual(new Set(features), new Set(before)) ? {} : { features }),
  };
};

/** Only a few features are switches; the others are the platform's to give. */
const featuresAfter = (now: string[], wanted: string[], community: Community): string[] => {
  const given = now.filter((name) => name !== 'COMMUNITY' && !switches.includes(name));
  const switched = switches.filter((name) => wanted.includes(name));
  return [...given, ...switched, ...(community.isFinally ? ['COMMUNITY'] : [])];
};

/** The platform may find reasons against it, which must not take the other settings along. */
const planDiscovery = (
  { present }: Scene,
  community: Community,
  wanted: WantedSettings,
): Draft[] => {
  const now = present.settings.features;
  const isWanted = wanted.features.includes('DISCOVERABLE');
  if (isWanted === now.includes('DISCOVERABLE')) return [];
  const others = featuresAfter(now, wanted.features, community).filter(
    (name) => name !== 'DISCOVERABLE',
  );
  const features = isWanted ? [...others, 'DISCOVERABLE'] : others;
  return [
    settingsStep('reveal', 'discovery', { changes: { features }, channels: {}, pictures: {} }),
  ];
};

const pictureFields = {
  icon: { hash: 'iconHash', feature: undefined },
  splash: { hash: 'splashHash', feature: 'INVITE_SPLASH' },
  discoverySplash: { hash: 'discoverySplashHash', feature: 'DISCOVERABLE' },
  banner: { hash: 'bannerHash', feature: 'BANNER' },
} as const satisfies Record<(typeof settingsPictures)[number], unknown>;

/** A hash says which picture it is, but only within one server. */
const pictureChanges = (
  { desired, present }: Scene,
  wanted: WantedSettings,
  lose: (name: string, reason: string) => void,
): Edit['pictures'] => {
  const isSameServer = desired.guildId === present.guildId;
  const changes: Edit['pictures'] = {};
  for (const picture of settingsPictures) {
    const { hash, feature } = pictureFields[picture];
    const wantedHash = wanted[hash];
    const nowHash = present.settings[hash];
    if (wantedHash === nowHash && (isSameServer || wantedHash === null)) continue;
    const stored = wanted.pictures[picture];
    if (wantedHash === null) changes[picture] = null;
    else if (!stored) lose(picture, 'the platform did not give the picture when it was backed up');
    else if (feature && !present.settings.features.includes(feature)) {
      lose(picture, 'this server does not have the feature for it');
    } else changes[picture] = stored;
  }
  return changes;
};

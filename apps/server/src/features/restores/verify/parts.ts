import type { BackupComponent } from '@holdfast/contract';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';
import { isSameRule } from '../plan/parts/automod.ts';
import { isPast, isSameEvent, nextOccurrence } from '../plan/parts/events.ts';
import {
  isSameOnboarding,
  isSameScreen,
  onboardingName,
  screenName,
  widgetName,
} from '../plan/parts/newcomers.ts';
import {
  channelIn,
  emojiIn,
  resolveOnboarding,
  resolveRule,
  resolveScreen,
} from '../plan/parts/resolve-parts.ts';
import { isSameSound } from '../plan/parts/soundboard.ts';
import type { GuildState } from '../plan/step.ts';
import type { Difference } from './describe-difference.ts';

type Scope = {
  snapshot: Snapshot;
  actual: GuildState;
  map: IdMap;
  restores(component: BackupComponent): boolean;
  /** Whether what the backup does not have may be there. */
  mayHaveMore: boolean;
  now: Date;
};

/** Where the parts of a guild are not what the backup says. */
export const compareParts = (scope: Scope): Difference[] => {
  const { restores, actual } = scope;
  // What could not be read is a loss of the plan already.
  const isCompared = (part: 'automod' | 'events' | 'soundboard' | 'webhooks') =>
    restores(part) && actual.parts?.[part] !== undefined;
  return [
    ...(isCompared('automod') ? compareAutomod(scope) : []),
    ...(isCompared('events') ? compareEvents(scope) : []),
    ...(isCompared('soundboard') ? compareSounds(scope) : []),
    ...(isCompared('webhooks') ? compareWebhooks(scope) : []),
    ...compareNewcomers(scope),
    ...(restores('settings') ? compareWidget(scope) : []),
    ...(restores('roles') ? compareRoleIcons(scope) : []),
  ];
};

type Listed = { id: string; name: string | null };

/** Each of the backup is found by the map of the restore, and is the same. */
const compareLists = <Saved extends Listed, Now extends Listed>(
  type: Difference['type'],
  saved: readonly Saved[],
  actual: readonly Now[],
  ids: Record<string, string> = {},
  isSame: (saved: Saved, now: Now) => boolean,
  mayHaveMore: boolean,
): Difference[] => {
  const byId = new Map(actual.map((thing) => [thing.id, thing]));
  const restoredIds = new Set(saved.map(({ id }) => ids[id]));
  const surplus = mayHaveMore ? [] : actual.filter(({ id }) => !restoredIds.has(id));
  return [
    ...saved.flatMap((one): Difference[] => {
      const name = one.name ?? type;
      const now = byId.get(ids[one.id] ?? '');
      if (!now) return [{ type, name, code: 'missing' }];
      return isSame(one, now) ? [] : [{ type, name, code: 'differs' }];
    }),
    ...surplus.map(({ name }): Difference => ({ type, name: name ?? type, code: 'notInBackup' })),
  ];
};

const compareAutomod = ({ snapshot, actual, map, mayHaveMore }: Scope): Difference[] =>
  compareLists(
    'automod',
    snapshot.automod ?? [],
    actual.parts?.automod ?? [],
    map.automod,
    ({ id: _, ...rule }, now) => isSameRule(resolveRule(rule, map), now),
    mayHaveMore,
  );

/** Events of the past are noted, and not made. */
const compareEvents = ({ snapshot, actual, map, now, mayHaveMore }: Scope): Difference[] =>
  compareLists(
    'event',
    (snapshot.events ?? [])
      .map((event) => nextOccurrence(event, now))
      .filter((event) => !isPast(event, now)),
    (actual.parts?.events ?? []).filter((event) => !isPast(event, now)),
    map.events,
    (event, live) =>
      isSameEvent({ ...event, channelId: channelIn(map, event.channelId) }, live) &&
      (event.image === null || live.imageHash !== null),
    mayHaveMore,
  );

const compareSounds = ({ snapshot, actual, map, mayHaveMore }: Scope): Difference[] =>
  compareLists(
    'sound',
    snapshot.soundboard ?? [],
    actual.parts?.soundboard ?? [],
    map.soundboard,
    (sound, now) => isSameSound({ ...sound, ...emojiIn(map, sound) }, now),
    mayHaveMore,
  );

const compareWebhooks = ({ snapshot, actual, map, mayHaveMore }: Scope): Difference[] =>
  compareLists(
    'webhook',
    (snapshot.webhooks ?? []).filter(({ kind }) => kind === 'incoming'),
    (actual.parts?.webhooks ?? []).filter(({ kind }) => kind === 'incoming'),
    map.webhooks,
    (webhook, now) =>
      (webhook.name ?? 'webhook') === now.name &&
      channelIn(map, webhook.channelId) === now.channelId &&
      (webhook.avatar === null || now.avatarHash !== null),
    mayHaveMore,
  );

const compareNewcomers = ({ snapshot, actual, map, restores }: Scope): Difference[] => {
  const { onboarding, welcomeScreen } = actual.parts ?? {};
  const savedOnboarding = restores('onboarding') ? snapshot.onboarding?.[0] : undefined;
  const savedScreen = restores('welcomeScreen') ? snapshot.welcomeScreen?.[0] : undefined;
  const isOnboardingRight =
    !savedOnboarding ||
    !onboarding ||
    isSameOnboarding(resolveOnboarding(savedOnboarding, map), onboarding);
  const isScreenRight =
    !savedScreen ||
    welcomeScreen === undefined ||
    (welcomeScreen !== null && isSameScreen(resolveScreen(savedScreen, map), welcomeScreen));
  return [
    ...(isOnboardingRight
      ? []
      : [{ type: 'onboarding', name: onboardingName, code: 'partDiffers' } as const]),
    ...(isScreenRight
      ? []
      : [{ type: 'welcomeScreen', name: screenName, code: 'partDiffers' } as const]),
  ];
};

const compareWidget = ({ snapshot, actual, map }: Scope): Difference[] => {
  const saved = snapshot.settings?.[0]?.widget;
  const now = actual.parts?.widget;
  if (!saved || !now) return [];
  const isSame =
    saved.isEnabled === now.isEnabled && channelIn(map, saved.channelId) === now.channelId;
  const name = widgetName;
  return isSame ? [] : [{ type: 'settings', name, code: 'settingsField', detail: name }];
};

/** Hashes of a picture differ between roles: only whether there is one can be compared. */
const compareRoleIcons = ({ snapshot, actual, map }: Scope): Difference[] => {
  const found = new Map(actual.roles.map((role) => [role.id, role]));
  return (snapshot.roles ?? []).flatMap((saved): Difference[] => {
    const now = found.get(map.roles[saved.id] ?? '');
    const isMissing = saved.icon && now && !now.isManaged && now.iconHash === null;
    if (!isMissing) return [];
    return [{ type: 'role', name: saved.name, code: 'field', detail: 'its icon' }];
  });
};

import { type ThresholdKind, thresholdKinds } from '@holdfast/contract';

/** Acts that count at once, where somebody does them who is not trusted. */
export const atOnceKinds = [
  ...(['dangerousGrants', 'botAdds', 'prunes', 'settingsChanges', 'ownerChanges'] as const),
] as const;
type AtOnceKind = (typeof atOnceKinds)[number];

/** What counts by how many different things, or people, it was done to. */
const manyKinds = ['edits', 'roleTakes', 'demotions'] as const;

/**
 * What protection judges people by. `edits`: things made or changed. `roleTakes`: a member lost roles.
 * `demotions`: one of these is dangerous, or may be.
 */
export const watchedKinds = [...thresholdKinds, ...atOnceKinds, ...manyKinds] as const;
export type WatchedKind = (typeof watchedKinds)[number];

/**
 * `rolesGiven`: somebody was given roles, or gets them by an invite or the onboarding, of which it is not
 * known yet what they may do. `selfGiven`: somebody got a dangerous role from themselves, and it is not known
 * yet whether they had the power to give it. `ownDemotions`: demotions by a job of ours. `lost`: something is gone, and
 * the audit log has not told who did it. `missed`: the same, and nobody knows when. `other`: not judged, but remembered, so that it can be undone.
 */
export type ActKind =
  | WatchedKind
  | ('rolesGiven' | 'selfGiven' | 'ownDemotions')
  | ('lost' | 'missed' | 'other');

/** They are gone, or made, for good; people can be let in again. */
const structuralKinds: ReadonlySet<ActKind> = new Set([
  ...(['channelDeletes', 'roleDeletes', 'webhookCreates', 'emojiDeletes'] as const),
]);

const counted: ReadonlySet<string> = new Set(thresholdKinds);
const atOnce: ReadonlySet<string> = new Set(atOnceKinds);
const watched: ReadonlySet<string> = new Set(watchedKinds);

export const isCounted = (kind: ActKind): kind is ThresholdKind => counted.has(kind);
export const isAtOnce = (kind: ActKind): kind is AtOnceKind => atOnce.has(kind);
export const isWatched = (kind: ActKind): kind is WatchedKind => watched.has(kind);
export const isStructural = (kind: ActKind): boolean => structuralKinds.has(kind);

import {
  type BackupComponent,
  type BackupCounts,
  backupComponents,
  componentsOnRequest,
} from '@holdfast/contract';
import type { Channel, Role } from '../../platform/guild.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/**
 * A backup goes queued → running → completed or failed, and never back. It is completed only when every
 * object it refers to was read back. A worker that takes over a running backup starts it again:
 * capturing a guild does not change it, so the first attempt needs no record.
 */

export const defaultComponents: BackupComponent[] = backupComponents.filter(
  (component) => !componentsOnRequest.includes(component),
);

const defaultMessagesPerChannel = 100;

/** How many messages of each channel and thread a backup stores: none unless these are requested. */
export const messagesToKeep = (
  components: readonly string[],
  requested: number | undefined,
): number =>
  components.includes('messages') || components.includes('threads')
    ? (requested ?? defaultMessagesPerChannel)
    : 0;

export const countsOf = (sections: Partial<Record<BackupComponent, number>>): BackupCounts => ({
  roles: sections.roles ?? 0,
  channels: sections.channels ?? 0,
  emojis: sections.emojis ?? 0,
  stickers: sections.stickers ?? 0,
  bans: sections.bans ?? 0,
  members: sections.memberRoles ?? 0,
  automod: sections.automod ?? 0,
  onboarding: sections.onboarding ?? 0,
  welcomeScreen: sections.welcomeScreen ?? 0,
  events: sections.events ?? 0,
  soundboard: sections.soundboard ?? 0,
  webhooks: sections.webhooks ?? 0,
  threads: sections.threads ?? 0,
  messages: sections.messages ?? 0,
});

/** Whether every overwrite's role and every parent is in the same snapshot. */
export const isConsistent = (roles: readonly Role[], channels: readonly Channel[]): boolean => {
  const roleIds = new Set(roles.map(({ id }) => id));
  const channelIds = new Set(channels.map(({ id }) => id));
  return channels.every(
    ({ parentId, overwrites }) =>
      (parentId === null || channelIds.has(parentId)) &&
      overwrites.every(({ kind, id }) => kind === 'member' || roleIds.has(id)),
  );
};

type Compared = Pick<Snapshot, 'roles' | 'channels'>;

/** Whether more than a third of the channels or of the roles were deleted since the snapshot before. */
export const showsMassDeletion = (before: Compared, now: Compared): boolean =>
  isMassDeletion(before.roles, now.roles, ({ name }) => name) ||
  isMassDeletion(before.channels, now.channels, ({ kind, name }) => `${kind} ${name}`);

/** One that exists under another id, as after a restore, is not counted as deleted. */
const isMassDeletion = <Thing extends { id: string }>(
  before: readonly Thing[] | undefined,
  now: readonly Thing[] | undefined,
  keyOf: (thing: Thing) => string,
): boolean => {
  if (!before || !now) return false;
  const ids = new Set(now.map(({ id }) => id));
  const keys = new Set(now.map(keyOf));
  const deleted = before.filter((thing) => !ids.has(thing.id) && !keys.has(keyOf(thing)));
  return deleted.length * 3 > before.length;
};

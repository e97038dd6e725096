import { type BackupComponent, type BackupCounts, backupComponents } from '@holdfast/contract';
import type { Channel, Role } from '../../platform/guild.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * A backup goes queued → running → completed or failed, and never back. It is completed only when
 * every object it refers to was read back. A worker that takes over a running one begins it anew:
 * taking a snapshot changes nothing, so nothing has to be remembered of the first try.
 */

export const defaultComponents: BackupComponent[] = backupComponents.filter(
  (component) => component !== 'messages',
);

const defaultMessagesPerChannel = 100;

/** What is to be kept of each channel: nothing unless messages are asked for. */
export const messagesToKeep = (
  components: readonly string[],
  wished: number | undefined,
): number => (components.includes('messages') ? (wished ?? defaultMessagesPerChannel) : 0);

export const countsOf = (sections: Partial<Record<BackupComponent, number>>): BackupCounts => ({
  roles: sections.roles ?? 0,
  channels: sections.channels ?? 0,
  emojis: sections.emojis ?? 0,
  stickers: sections.stickers ?? 0,
  bans: sections.bans ?? 0,
  members: sections.memberRoles ?? 0,
  messages: sections.messages ?? 0,
});

/** Every overwrite speaks of a role, every parent of a channel that the same snapshot holds. */
export const fitTogether = (roles: readonly Role[], channels: readonly Channel[]): boolean => {
  const roleIds = new Set(roles.map(({ id }) => id));
  const channelIds = new Set(channels.map(({ id }) => id));
  return channels.every(
    ({ parentId, overwrites }) =>
      (parentId === null || channelIds.has(parentId)) &&
      overwrites.every(({ kind, id }) => kind === 'member' || roleIds.has(id)),
  );
};

type Parts = Pick<Snapshot, 'roles' | 'channels'>;

/** Whether more than a third of the channels or of the roles are gone since the snapshot before. */
export const showsMassDeletion = (before: Parts, now: Parts): boolean =>
  isMassDeletion(before.roles, now.roles, ({ name }) => name) ||
  isMassDeletion(before.channels, now.channels, ({ kind, name }) => `${kind} ${name}`);

/** One that came back under another id, as after a restore, is not gone. */
const isMassDeletion = <Thing extends { id: string }>(
  before: readonly Thing[] | undefined,
  now: readonly Thing[] | undefined,
  likeness: (thing: Thing) => string,
): boolean => {
  if (!before || !now) return false;
  const ids = new Set(now.map(({ id }) => id));
  const likes = new Set(now.map(likeness));
  const gone = before.filter((thing) => !ids.has(thing.id) && !likes.has(likeness(thing)));
  return gone.length * 3 > before.length;
};

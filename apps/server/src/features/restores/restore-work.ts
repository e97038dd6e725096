import type { BackupComponent, BackupKind } from '@holdfast/contract';
import type { GuildPlatform } from '../../platform/port.ts';
import type { BotSelf } from '../../platform/powers.ts';
import type { Lease } from '../../queue/lease.ts';
import { createObjectReader } from '../backups/objects/read-objects.ts';
import { readErased } from '../backups/people/erasures.ts';
import type { IsErased } from '../backups/people/redact.ts';
import { readSnapshot } from '../backups/read-snapshot.ts';
import type { Snapshot } from '../backups/snapshot.ts';
import type { BackupTools } from '../backups/take-backup.ts';
import { readAsTemplate } from '../backups/template.ts';
import { type findActiveRestore, findReasonToStop, type RestoreOwner } from './queries.ts';
import type { LoadImage } from './run-step.ts';

export type ActiveRestore = NonNullable<Awaited<ReturnType<typeof findActiveRestore>>>;

/** One restore in the hands of one worker. */
export type RestoreWork = {
  tools: BackupTools;
  restore: ActiveRestore;
  owner: RestoreOwner;
  signal: AbortSignal;
  lease: Lease;
  guildId: string;
  guild: GuildPlatform;
  /** Who the bot is in the target. */
  readSelf(): Promise<BotSelf>;
  /** What is to come back: read through and checked when it is first asked for. */
  readDesired(): Promise<Snapshot>;
  /** Who erased themselves, of those whom the backup may name. */
  readErased(): Promise<IsErased>;
  loadImage: LoadImage;
};

/** The owner cancelled it, or a server that it needs is being deleted. */
export class RestoreStopped extends Error {
  constructor(readonly reason: 'cancelled' | 'gone') {
    super(`The restore is ${reason}`);
    this.name = 'RestoreStopped';
  }
}

/** It cannot be done, as was found out before anything was changed; in words for its owner. */
export class RestoreRefused extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'RestoreRefused';
  }
}

/** Asked before the first change, and between any two. */
export const requireWanted = async (
  db: Parameters<typeof findReasonToStop>[0],
  owner: RestoreOwner,
): Promise<void> => {
  const reason = await findReasonToStop(db, owner);
  if (reason) throw new RestoreStopped(reason);
};

export type SnapshotSource = {
  accountId: string;
  checksum: string;
  kind: BackupKind;
  savedAt: Date;
  components: readonly BackupComponent[];
};

/**
 * What is to come back. It speaks of roles and channels, so these are read also where they are not
 * restored themselves.
 */
export const readDesired = async (
  { db, blobs, ring }: Pick<BackupTools, 'db' | 'blobs' | 'ring'>,
  from: SnapshotSource,
): Promise<Snapshot> => {
  const sections = new Set<BackupComponent>([...from.components, 'roles', 'channels']);
  const read = createObjectReader(db, blobs, from.accountId);
  const isErased = await readErased(db, ring, from);
  const snapshot = await readSnapshot(read, from.checksum, [...sections], isErased);
  return from.kind === 'MARKETPLACE' ? readAsTemplate(snapshot) : snapshot;
};

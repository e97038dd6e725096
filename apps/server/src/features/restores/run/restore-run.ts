import type { BackupComponent, BackupKind } from '@holdfast/contract';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { ConversationPlatform } from '../../../platform/conversation.ts';
import type { BotMember } from '../../../platform/permissions.ts';
import type { GuildPlatform, ImageRef } from '../../../platform/port.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import type { BackupDependencies } from '../../backups/capture/execute-backup.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import type { IsErased } from '../../backups/erasure/redact-text.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { type ReadObject, readSnapshot } from '../../backups/snapshot/read-snapshot.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { limitToTemplate } from '../../backups/snapshot/template.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import type { Judging, RoleToGive, Verdict } from '../../servers/power/judge-roles.ts';
import {
  type findActiveRestore,
  findReasonToStop,
  type RestoreEnd,
  type RestoreOwner,
} from '../queries/restores.ts';
import { restorable } from '../rules.ts';
import type { Seen } from '../undo/known-channels.ts';
import type { UndoScope } from '../undo/scope.ts';
import type { LoadImage } from './run-step.ts';

/** What of an incident is to be undone, by all that the guild's audit log tells since the backup. */
export type CompleteScope = (
  db: Queryable,
  incident: { accountId: string; serverId: string; incidentId: string; backupId: string },
  reader: {
    guild: Pick<GuildPlatform, 'readAuditLog'>;
    botUserId: string;
    backup: Seen['backup'];
    /** Called when the log has been read, so that nothing in the log is later. */
    readCurrent(): Promise<Seen['current']>;
    isQuick?: boolean;
  },
) => Promise<UndoScope>;

export type RestoreDependencies = BackupDependencies & {
  clock: Clock;
  completeUndoScope: CompleteScope;
  findHeldBack: FindHeldBack;
  /** In the transaction that ends a restore. */
  onRestoreEnded(tx: Transaction, restore: EndedRestore): Promise<void>;
};

export type EndedRestore = {
  accountId: string;
  serverId: string;
  /** The incident that it repairs. */
  incidentId: string | null;
  restoreId: string;
  status: RestoreEnd['status'];
};

export type ActiveRestore = NonNullable<Awaited<ReturnType<typeof findActiveRestore>>>;

/** The objects of a backup that hold its messages and threads. */
export type ConversationSource = {
  read: ReadObject;
  checksum: string;
  components: readonly BackupComponent[];
};

/** One restore as one worker runs it. */
export type RestoreRun = {
  dependencies: RestoreDependencies;
  restore: ActiveRestore;
  owner: RestoreOwner;
  signal: AbortSignal;
  lease: Lease;
  guildId: string;
  guild: GuildPlatform;
  readBotMember(): Promise<BotMember>;
  /** Which roles of the target may be given at this moment. */
  judgeRoles(roles: readonly RoleToGive[], judging: Judging): Promise<Verdict>;
  /** Reads and checks the content of the backup, with what is not restored besides. */
  readSnapshot(besides?: readonly BackupComponent[]): Promise<Snapshot>;
  conversation: ConversationPlatform;
  /** Where the backup's messages and threads are read, without loading them. */
  readConversation(): Promise<ConversationSource>;
  /** Reads which of the people in the backup have been erased. */
  readErased(): Promise<IsErased>;
  /** What was taken from somebody who was stopped; without an id, who is stopped. */
  findHeld(platformId?: string): ReturnType<FindHeldBack>;
  loadImage: LoadImage;
  /** The hash of a picture of the target, as backups have it; undefined where it cannot be read. */
  hashImage(image: ImageRef): Promise<string | undefined>;
};

/** The owner cancelled the restore, or a server that it needs is being deleted. */
export class RestoreStopped extends Error {
  constructor(readonly reason: 'cancelled' | 'gone') {
    super(`The restore is ${reason}`);
    this.name = 'RestoreStopped';
  }
}

/** A quota of the platform is used up, and nothing is left to do before it is free again. */
export class RestoreSuspended extends Error {
  constructor(readonly resumesInMs: number) {
    super('The restore waits for a quota of the platform');
    this.name = 'RestoreSuspended';
  }
}

/** The restore cannot be done, for a reason that its owner reads. */
export class RestoreRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RestoreRefused';
  }
}

/** Throws where the restore is to stop. Called before the first change, and before every step. */
export const requireNotStopped = async (db: Queryable, owner: RestoreOwner): Promise<void> => {
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
 * Other sections refer to roles and channels, so these are read also where they are not restored. Messages
 * and threads are not: there can be too many of them.
 */
export const readSourceSnapshot = async (
  { db, blobs, ring }: Pick<BackupDependencies, 'db' | 'blobs' | 'ring'>,
  source: SnapshotSource,
): Promise<Snapshot> => {
  const sections = new Set<BackupComponent>([
    ...restorable(source.components),
    'roles',
    'channels',
  ]);
  const read = createObjectReader(db, blobs, source.accountId);
  const isErased = await readErased(db, ring, source);
  const snapshot = await readSnapshot(read, source.checksum, [...sections], isErased);
  return source.kind === 'MARKETPLACE' ? limitToTemplate(snapshot) : snapshot;
};

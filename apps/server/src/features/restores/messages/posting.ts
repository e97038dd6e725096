import type { Channel } from '../../../platform/guild.ts';
import type { ReadObject } from '../../backups/snapshot/read-snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';
import { type PlaceChanges, type PlaceRow, updatePlace } from '../queries/posts.ts';
import { type RestoreRun, requireNotStopped } from '../run/restore-run.ts';
import type { ConversationIndex } from './conversation-index.ts';

/** The posting of one restore, as one worker runs it. */
export type Posting = {
  run: RestoreRun;
  index: ConversationIndex;
  read: ReadObject;
  idMap: IdMap;
  places: PlaceRow[];
  /** The channels of the backup, and of the target as they are now, by id. */
  channels: ReadonlyMap<string, Channel>;
  targets: ReadonlyMap<string, Channel>;
  /** The address of an author's picture, where the platform still has it. */
  findAvatarUrl(authorId: string, hash: string | null): Promise<string | undefined>;
  /** Counts the steps now and then, so that the owner sees how far it is. */
  showProgress(): Promise<void>;
  /** Set where one channel found out that no other can go on either. */
  fatal: { error: unknown } | undefined;
};

/** Writes to the journal under the lease; the row in memory follows. */
export const storePlace = async (
  posting: Posting,
  row: PlaceRow,
  changes: PlaceChanges,
): Promise<void> => {
  const { dependencies, owner, lease } = posting.run;
  await lease.transaction(dependencies.db, (tx) => updatePlace(tx, owner, row.placeId, changes));
  Object.assign(row, changes);
  await posting.showProgress();
};

/** Before something is done that cannot be taken back: also where the owner has not cancelled. */
export const storeBegun = async (
  posting: Posting,
  row: PlaceRow,
  changes: PlaceChanges,
): Promise<void> => {
  const { dependencies, owner } = posting.run;
  if (posting.fatal) throw posting.fatal.error;
  await requireNotStopped(dependencies.db, owner);
  await storePlace(posting, row, changes);
};

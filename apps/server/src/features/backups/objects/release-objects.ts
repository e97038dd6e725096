import { type Database, markChanged } from '../../../db/connect.ts';
import type { BlobAddress } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Clock } from '../../../kernel/clock.ts';
import {
  deleteUnreferenced,
  findEndOfObjects,
  findExistingIds,
  listAccountsWithUnreferenced,
} from './queries.ts';
import { addressOf } from './read-objects.ts';

const objectsAtATime = 200;

/**
 * Releases the account's objects without a reference. Rows are deleted before files; a crash between
 * the two leaves files without a row, which the sweep finds.
 */
export const releaseObjects = async (
  db: Database,
  blobs: SealedBlobs,
  accountId: string,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const deleted = await db.transaction((tx) => deleteUnreferenced(tx, accountId, objectsAtATime));
    for (const blob of deleted) await blobs.delete(addressOf(blob));
    // Less storage is used.
    if (deleted.length > 0) markChanged(db, { accountId }, 'backups');
    if (deleted.length < objectsAtATime) return;
  }
};

type SweepDependencies = { db: Database; blobs: SealedBlobs; clock: Clock };

/** Releases the objects of all accounts, and returns how many files without a row were deleted. */
export const sweepStorage = async (
  dependencies: SweepDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const { db, blobs } = dependencies;
  for (const accountId of await findAccountsToRelease(db, signal)) {
    await releaseObjects(db, blobs, accountId, signal);
  }
  return sweepFiles(dependencies, signal);
};

const checkedAtATime = 5000;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/** Goes through all objects, some at a time: at once, millions would take longer than a statement may. */
const findAccountsToRelease = async (db: Database, signal: AbortSignal): Promise<Set<string>> => {
  const found = new Set<string>();
  let after = beforeAllIds;
  for (;;) {
    signal.throwIfAborted();
    const until = await findEndOfObjects(db, { after, most: checkedAtATime });
    const accountIds = await listAccountsWithUnreferenced(db, { after, until });
    for (const accountId of accountIds) found.add(accountId);
    if (until === undefined) return found;
    after = until;
  }
};

/**
 * Deletes every file without a row; a row is always inserted before its file is written. Files of
 * accounts that this database does not have are left alone: they may belong to another service.
 */
const sweepFiles = async (
  { db, blobs, clock }: SweepDependencies,
  signal: AbortSignal,
): Promise<number> => {
  let deleted = 0;
  let batch: BlobAddress[] = [];
  for await (const { accountId, hash, copyId } of blobs.list()) {
    signal.throwIfAborted();
    batch.push({ accountId, hash, copyId });
    if (batch.length < objectsAtATime) continue;
    deleted += await sweepBatch(db, blobs, batch);
    batch = [];
  }
  if (batch.length > 0) deleted += await sweepBatch(db, blobs, batch);
  await blobs.removeLeftovers(clock.now());
  return deleted;
};

const sweepBatch = async (
  db: Database,
  blobs: SealedBlobs,
  batch: readonly BlobAddress[],
): Promise<number> => {
  const existing = await findExistingIds(db, {
    copyIds: batch.flatMap(({ copyId }) => copyId ?? []),
    accountIds: [...new Set(batch.map(({ accountId }) => accountId))],
  });
  const orphans = batch.filter(
    ({ accountId, copyId }) =>
      existing.has(accountId) && (copyId === undefined || !existing.has(copyId)),
  );
  for (const address of orphans) await blobs.delete(address);
  return orphans.length;
};

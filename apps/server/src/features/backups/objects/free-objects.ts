import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { BlobAddress } from '../../../integrations/blobs/store.ts';
import { addressOf } from './address.ts';
import { listAccountsWithUnreferenced, takeUnreferenced, whichAreKnown } from './queries.ts';

const objectsAtATime = 200;

/**
 * Frees what no backup of the account refers to. The rows go first, then the files; a crash between
 * the two leaves files that nobody knows, which the sweep finds.
 */
export const freeObjects = async (
  db: Database,
  blobs: SealedBlobs,
  accountId: string,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const taken = await db.transaction((tx) => takeUnreferenced(tx, accountId, objectsAtATime));
    for (const blob of taken) await blobs.delete(addressOf(blob));
    if (taken.length < objectsAtATime) return;
  }
};

/** Frees what nothing refers to, of all accounts, and tells how many files had no row at all. */
export const sweepStorage = async (
  db: Database,
  blobs: SealedBlobs,
  signal: AbortSignal,
): Promise<number> => {
  for (const accountId of await listAccountsWithUnreferenced(db)) {
    await freeObjects(db, blobs, accountId, signal);
  }
  return sweepFiles(db, blobs, signal);
};

/**
 * Deletes every file whose row is gone; a row is always there before its file. Files of accounts
 * that this database never had are left alone: they may be another service's.
 */
const sweepFiles = async (
  db: Database,
  blobs: SealedBlobs,
  signal: AbortSignal,
): Promise<number> => {
  let swept = 0;
  let batch: BlobAddress[] = [];
  for await (const { accountId, hash, copyId } of blobs.list()) {
    signal.throwIfAborted();
    batch.push({ accountId, hash, copyId });
    if (batch.length < objectsAtATime) continue;
    swept += await sweepBatch(db, blobs, batch);
    batch = [];
  }
  if (batch.length > 0) swept += await sweepBatch(db, blobs, batch);
  await blobs.removeLeftovers(new Date());
  return swept;
};

const sweepBatch = async (
  db: Database,
  blobs: SealedBlobs,
  batch: readonly BlobAddress[],
): Promise<number> => {
  const known = await whichAreKnown(db, {
    copyIds: batch.flatMap(({ copyId }) => copyId ?? []),
    accountIds: [...new Set(batch.map(({ accountId }) => accountId))],
  });
  const orphans = batch.filter(
    ({ accountId, copyId = '' }) => known.has(accountId) && !known.has(copyId),
  );
  for (const address of orphans) await blobs.delete(address);
  return orphans.length;
};

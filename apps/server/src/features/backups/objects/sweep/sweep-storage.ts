import type { Database } from '../../../../db/connect.ts';
import type { BlobAddress } from '../../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../../integrations/blobs/sealed-blobs.ts';
import type { Clock } from '../../../../kernel/clock.ts';
import { walkOn } from '../../../../queue/marks/walk-on.ts';
import { releaseObjects } from '../release-objects.ts';
import {
  findEndOfObjects,
  findExistingIds,
  listAccountIds,
  listAccountsWithUnreferenced,
} from './queries.ts';

type SweepDependencies = { db: Database; blobs: SealedBlobs; clock: Clock };

/** What one run looks at; the next one goes on there. */
type SweepLimits = { objects: number; files: number; atATime: number };
const defaultLimits: SweepLimits = { objects: 200_000, files: 200_000, atATime: 5000 };

/** Releases objects of all accounts, and returns how many files without a row were deleted. */
export const sweepStorage = async (
  dependencies: SweepDependencies,
  signal: AbortSignal,
  limits = defaultLimits,
): Promise<number> => {
  await sweepObjects(dependencies, signal, limits);
  const deleted = await sweepFiles(dependencies, signal, limits);
  await dependencies.blobs.removeLeftovers(dependencies.clock.now());
  return deleted;
};

/** Some at a time: at once, millions would take longer than a statement may. */
const sweepObjects = (
  { db, blobs }: SweepDependencies,
  signal: AbortSignal,
  { objects, atATime }: SweepLimits,
): Promise<void> => {
  const look = async (after: string) => {
    const last = await findEndOfObjects(db, { after, most: atATime });
    for (const accountId of await listAccountsWithUnreferenced(db, { after, until: last })) {
      await releaseObjects(db, blobs, accountId, signal);
    }
    return { last, seen: atATime };
  };
  return walkOn(db, { name: 'backups.sweep: objects', most: objects, signal, look });
};

const accountsAtATime = 100;
const filesAtATime = 200;

/**
 * Deletes files without a row, account by account; a row is always inserted before its file is written. Files of
 * accounts that this database does not have are left alone: they may belong to another service.
 */
const sweepFiles = async (
  { db, blobs }: SweepDependencies,
  signal: AbortSignal,
  { files }: SweepLimits,
): Promise<number> => {
  let deleted = 0;
  const look = async (after: string) => {
    const accountIds = await listAccountIds(db, { after, most: accountsAtATime });
    let seen = 0;
    for (const accountId of accountIds) {
      const swept = await sweepAccount(db, blobs, accountId, signal);
      // Also one without files is looked for.
      seen += swept.seen + 1;
      deleted += swept.deleted;
      if (seen >= files) return { last: accountId, seen };
    }
    return { last: accountIds.length < accountsAtATime ? undefined : accountIds.at(-1), seen };
  };
  await walkOn(db, { name: 'backups.sweep: files', most: files, signal, look });
  return deleted;
};

const sweepAccount = async (
  db: Database,
  blobs: SealedBlobs,
  accountId: string,
  signal: AbortSignal,
) => {
  const swept = { seen: 0, deleted: 0 };
  const sweep = async (batch: readonly BlobAddress[]) => {
    signal.throwIfAborted();
    swept.seen += batch.length;
    swept.deleted += await sweepBatch(db, blobs, batch);
  };
  let batch: BlobAddress[] = [];
  for await (const { hash, copyId } of blobs.list(accountId)) {
    batch.push({ accountId, hash, ...(copyId !== undefined && { copyId }) });
    if (batch.length < filesAtATime) continue;
    await sweep(batch);
    batch = [];
  }
  if (batch.length > 0) await sweep(batch);
  return swept;
};

const sweepBatch = async (
  db: Database,
  blobs: SealedBlobs,
  batch: readonly BlobAddress[],
): Promise<number> => {
  const existing = await findExistingIds(
    db,
    batch.flatMap(({ copyId }) => copyId ?? []),
  );
  const orphans = batch.filter(({ copyId }) => copyId === undefined || !existing.has(copyId));
  for (const address of orphans) await blobs.delete(address);
  return orphans.length;
};

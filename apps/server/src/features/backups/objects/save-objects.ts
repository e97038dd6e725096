import type { Database } from '../../../db/connect.ts';
import type { BlobAddress } from '../../../integrations/blobs/blob-store.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlob, SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { newId } from '../../../kernel/ids.ts';
import { mapInTurns } from '../../../kernel/turns.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import { insertPeople, type PeopleOfBlob } from '../erasure/queries.ts';
import type { SectionName } from '../snapshot/snapshot.ts';
import {
  addBlobs,
  markBlobStored,
  markBlobsStored,
  type Referrer,
  referenceBlobs,
  reserveStorage,
} from './queries.ts';
import { addressOf } from './read-objects.ts';

export class StorageLimitReached extends Error {
  constructor() {
    super("The plan's storage is used up: delete backups, or choose a larger plan");
    this.name = 'StorageLimitReached';
  }
}

type ObjectSaverDependencies = Referrer & {
  db: Database;
  blobs: SealedBlobs;
  lease: Pick<Lease, 'transaction'>;
  limitBytes: number;
};

/** Few enough that one batch locks its rows only for a moment. */
const objectsPerBatch = 64;
/** Each writes a file, and mostly waits for the disk. */
const filesAtOnce = 16;

/** Who is in an object; computed only where the object is new. */
export type PeopleIn = { section: SectionName; hashes(): bigint[] };

type NewObject = { hash: string; bytes: Uint8Array; people: PeopleIn | undefined };

/**
 * Stores objects for one backup or other referrer. An object that the account has already is read and
 * checked instead of written; either way it was read back when this returns its hash. Objects that
 * arrive while others are being saved are saved together: three transactions for a batch, not for each.
 */
export const createObjectSaver = (dependencies: ObjectSaverDependencies) => {
  const saved = new Map<string, Promise<void>>();
  const saveSoon = createBatches(objectsPerBatch, (batch: NewObject[]) =>
    saveAll(dependencies, batch),
  );
  return async (bytes: Uint8Array, people?: PeopleIn): Promise<string> => {
    const hash = dependencies.blobs.hashOf(bytes);
    const saving = saved.get(hash) ?? saveSoon({ hash, bytes, people });
    saved.set(hash, saving);
    await saving;
    return hash;
  };
};

const saveAll = async (dependencies: ObjectSaverDependencies, batch: NewObject[]) => {
  const { db, blobs, accountId } = dependencies;
  const existing = await referenceExisting(dependencies, batch);
  const isReadableNow = await inParallel(filesAtOnce, batch, async ({ hash }) => {
    const blob = existing.get(hash);
    return blob?.isStored === true && (await isReadable(blobs, addressOf(blob)));
  });
  const missing = batch.filter((_, at) => !isReadableNow[at]);
  if (missing.length === 0) return;

  const sealed = await inParallel(filesAtOnce, missing, async ({ bytes, people }) => ({
    ...(await blobs.seal({ accountId, bytes })),
    people,
  }));
  const added = await addAll(
    dependencies,
    sealed.filter(({ hash }) => !existing.has(hash)),
  );
  const rowOf = new Map([...existing, ...added.map((blob) => [blob.hash, blob] as const)]);
  const stored = sealed.flatMap((one) => {
    const blob = rowOf.get(one.hash);
    return blob ? [{ blob, one }] : [];
  });
  await inParallel(filesAtOnce, stored, ({ blob, one }) => blobs.store(addressOf(blob), one));
  await markBlobsStored(db, added);
  for (const { blob, one } of stored) {
    if (existing.has(blob.hash)) await markBlobStored(db, blob, one);
  }
  const addedElsewhere = missing.filter(({ hash }) => !rowOf.has(hash));
  if (addedElsewhere.length > 0) await saveAll(dependencies, addedElsewhere);
};

const referenceExisting = async (dependencies: ObjectSaverDependencies, batch: NewObject[]) => {
  const hashes = batch.map(({ hash }) => hash);
  const { db, lease } = dependencies;
  const found = await lease.transaction(db, (tx) => referenceBlobs(tx, dependencies, hashes));
  return new Map(found.map((blob) => [blob.hash, blob]));
};

/**
 * Inserts the rows, before the files are written, so that no file is without a row. Returns them without
 * those that another backup of the account has inserted meanwhile. Rows are inserted in the order of
 * their hashes, so that two backups that add the same objects cannot deadlock.
 */
const addAll = async (
  dependencies: ObjectSaverDependencies,
  sealed: (SealedBlob & Pick<NewObject, 'people'>)[],
) => {
  if (sealed.length === 0) return [];
  const rows = sealed
    .map(({ stored: _, people: __, ...row }) => ({ id: newId(), ...row }))
    .sort((one, other) => (one.hash < other.hash ? -1 : 1));
  const peopleOf = new Map(await mapInTurns(sealed, findPeople));
  return dependencies.lease.transaction(dependencies.db, async (tx) => {
    const added = await addBlobs(tx, dependencies, rows);
    const people = added.flatMap(({ id: blobId, hash }) => {
      const found = peopleOf.get(hash);
      return found ? [{ blobId, ...found }] : [];
    });
    await insertPeople(tx, dependencies.accountId, people);
    const bytes = added.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    if (
      bytes > 0 &&
      !(await reserveStorage(tx, dependencies.accountId, bytes, dependencies.limitBytes))
    ) {
      throw new StorageLimitReached();
    }
    return added;
  });
};

type FoundPeople = Omit<PeopleOfBlob, 'blobId'>;

const findPeople = ({
  hash,
  people,
}: Pick<NewObject, 'hash' | 'people'>): [hash: string, found: FoundPeople | undefined] => {
  const hashes = people?.hashes() ?? [];
  return [
    hash,
    people && hashes.length > 0 ? { section: people.section, people: hashes } : undefined,
  ];
};

/** An object whose file is broken is written again, since its bytes are known here. */
const isReadable = async (blobs: SealedBlobs, address: BlobAddress): Promise<boolean> => {
  try {
    await blobs.verify(address);
    return true;
  } catch (error) {
    if (error instanceof BlobBroken) return false;
    throw error;
  }
};

/** Items that arrive while a batch is being worked on form the next batch, of at most `most`. */
const createBatches = <Item>(most: number, work: (batch: Item[]) => Promise<void>) => {
  const waiting: { item: Item; outcome: PromiseWithResolvers<void> }[] = [];
  let isRunning = false;
  const runAll = async () => {
    // Items that arrive in the same tick belong to the same batch.
    await null;
    for (let batch = waiting.splice(0, most); batch.length > 0; batch = waiting.splice(0, most)) {
      try {
        await work(batch.map(({ item }) => item));
        for (const { outcome } of batch) outcome.resolve();
      } catch (error) {
        for (const { outcome } of batch) outcome.reject(error);
      }
    }
    isRunning = false;
  };
  return (item: Item): Promise<void> => {
    const outcome = Promise.withResolvers<void>();
    waiting.push({ item, outcome });
    if (!isRunning) {
      isRunning = true;
      runAll();
    }
    return outcome.promise;
  };
};

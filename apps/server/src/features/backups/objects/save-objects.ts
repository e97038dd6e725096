import type { Database } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { inParallel } from '../../../kernel/in-parallel.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-broken.ts';
import type { SealedBlob, SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { BlobAddress } from '../../../integrations/blobs/store.ts';
import type { Lease } from '../../../queue/lease.ts';
import { insertPeople, type PeopleOfBlob } from '../people/queries.ts';
import type { SectionName } from '../snapshot.ts';
import { addressOf } from './address.ts';
import { createBatches } from './batches.ts';
import {
  addBlobs,
  markBlobStored,
  markBlobsStored,
  type Referrer,
  referToBlobs,
  reserveStorage,
} from './queries.ts';

export class StorageLimitReached extends Error {
  constructor() {
    super("The plan's storage is used up: delete backups, or choose a larger plan");
    this.name = 'StorageLimitReached';
  }
}

export type SavingTools = Referrer & {
  db: Database;
  blobs: SealedBlobs;
  lease: Pick<Lease, 'requireHeld'>;
  limitBytes: number;
};

/** Few enough that one batch holds its rows only for a moment. */
const objectsPerBatch = 64;
/** Each takes a file of its own, and most of its time is waiting for the disk. */
const filesAtOnce = 16;

/** Who is in an object; asked only where the object is new. */
export type PeopleIn = { section: SectionName; hashes(): bigint[] };

type Wanted = { hash: string; bytes: Uint8Array; people: PeopleIn | undefined };

/**
 * Stores objects on behalf of one backup, or of something else that holds them. What the account has already is read and checked instead
 * of written; either way the object was read back when this returns its hash. Those that come while
 * others are being saved are saved together: three transactions for many, not for each.
 */
export const createObjectSaver = (tools: SavingTools) => {
  const saved = new Map<string, Promise<void>>();
  const saveSoon = createBatches(objectsPerBatch, (batch: Wanted[]) => saveAll(tools, batch));
  return async (bytes: Uint8Array, people?: PeopleIn): Promise<string> => {
    const hash = tools.blobs.hashOf(bytes);
    const saving = saved.get(hash) ?? saveSoon({ hash, bytes, people });
    saved.set(hash, saving);
    await saving;
    return hash;
  };
};

const saveAll = async (tools: SavingTools, batch: Wanted[]): Promise<void> => {
  const { db, blobs, accountId } = tools;
  const known = await referToKnown(tools, batch);
  const isThere = await inParallel(filesAtOnce, batch, async ({ hash }) => {
    const blob = known.get(hash);
    return blob?.isStored === true && (await isReadable(blobs, addressOf(blob)));
  });
  const missing = batch.filter((_, at) => !isThere[at]);
  if (missing.length === 0) return;

  const sealed = await inParallel(filesAtOnce, missing, async ({ bytes, people }) => ({
    ...(await blobs.seal({ accountId, bytes })),
    people,
  }));
  const added = await addAll(
    tools,
    sealed.filter(({ hash }) => !known.has(hash)),
  );
  const rowOf = new Map([...known, ...added.map((blob) => [blob.hash, blob] as const)]);
  const stored = sealed.flatMap((one) => {
    const blob = rowOf.get(one.hash);
    return blob ? [{ blob, one }] : [];
  });
  await inParallel(filesAtOnce, stored, ({ blob, one }) => blobs.store(addressOf(blob), one));
  await markBlobsStored(db, added);
  for (const { blob, one } of stored) {
    if (known.has(blob.hash)) await markBlobStored(db, blob, one);
  }
  const elsewhere = missing.filter(({ hash }) => !rowOf.has(hash));
  if (elsewhere.length > 0) await saveAll(tools, elsewhere);
};

const referToKnown = async (tools: SavingTools, batch: Wanted[]) => {
  const hashes = batch.map(({ hash }) => hash);
  const found = await tools.db.transaction(async (tx) => {
    await tools.lease.requireHeld(tx);
    return referToBlobs(tx, tools, hashes);
  });
  return new Map(found.map((blob) => [blob.hash, blob]));
};

/**
 * Rows come before files, so that no file is ever without one. Without those that another backup of
 * the account was faster with. In the order of their hashes: two that add the same never wait for
 * each other in a circle.
 */
const addAll = async (tools: SavingTools, sealed: (SealedBlob & Pick<Wanted, 'people'>)[]) => {
  if (sealed.length === 0) return [];
  const rows = sealed
    .map(({ stored: _, people: __, ...row }) => ({ id: newId(), ...row }))
    .sort((one, other) => (one.hash < other.hash ? -1 : 1));
  return tools.db.transaction(async (tx) => {
    await tools.lease.requireHeld(tx);
    const added = await addBlobs(tx, tools, rows);
    await insertPeople(tx, tools.accountId, peopleOf(added, sealed));
    const bytes = added.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    if (bytes > 0 && !(await reserveStorage(tx, tools.accountId, bytes, tools.limitBytes))) {
      throw new StorageLimitReached();
    }
    return added;
  });
};

const peopleOf = (
  added: { id: string; hash: string }[],
  sealed: { hash: string; people: PeopleIn | undefined }[],
): PeopleOfBlob[] =>
  added.flatMap(({ id, hash }) => {
    const people = sealed.find((one) => one.hash === hash)?.people;
    const hashes = people?.hashes() ?? [];
    return people && hashes.length > 0
      ? [{ blobId: id, section: people.section, people: hashes }]
      : [];
  });

/** An object that was spoilt on the disk is written again, now that its bytes are at hand. */
const isReadable = async (blobs: SealedBlobs, address: BlobAddress): Promise<boolean> => {
  try {
    await blobs.verify(address);
    return true;
  } catch (error) {
    if (error instanceof BlobBroken) return false;
    throw error;
  }
};

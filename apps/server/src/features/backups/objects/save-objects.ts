import type { Database } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { BlobBroken } from '../../../outside/blobs/blob-broken.ts';
import type { SealedBlob, SealedBlobs } from '../../../outside/blobs/sealed-blobs.ts';
import type { BlobAddress } from '../../../outside/blobs/store.ts';
import type { Lease } from '../../../queue/lease.ts';
import { addressOf } from './address.ts';
import { addBlob, markBlobStored, referToBlob, reserveStorage } from './queries.ts';

export class StorageLimitReached extends Error {
  constructor() {
    super("The plan's storage is used up: delete backups, or choose a larger plan");
    this.name = 'StorageLimitReached';
  }
}

export type SavingTools = {
  db: Database;
  blobs: SealedBlobs;
  lease: Lease;
  userId: string;
  backupId: string;
  limitBytes: number;
};

/**
 * Stores objects on behalf of one backup. What the account has already is read and checked instead
 * of written; either way the object was read back when this returns its hash.
 */
export const createObjectSaver = (tools: SavingTools) => {
  const saved = new Map<string, Promise<void>>();
  return async (bytes: Uint8Array): Promise<string> => {
    const hash = tools.blobs.hashOf(bytes);
    const saving = saved.get(hash) ?? save(tools, hash, bytes);
    saved.set(hash, saving);
    await saving;
    return hash;
  };
};

const save = async (tools: SavingTools, hash: string, bytes: Uint8Array): Promise<void> => {
  const { db, blobs, lease, userId } = tools;
  const known = await db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    return referToBlob(tx, tools, hash);
  });
  if (known?.isStored && (await isReadable(blobs, addressOf(known)))) return;

  const sealed = await blobs.seal({ accountId: userId, bytes });
  const blob = known ?? (await add(tools, sealed));
  if (!blob) return save(tools, hash, bytes);
  await blobs.store(addressOf(blob), sealed);
  await markBlobStored(db, blob, sealed);
};

/**
 * Its row comes before its file, so that no file is ever without one. Undefined where another
 * backup of the account was faster.
 */
const add = (tools: SavingTools, { hash, sizeBytes, storedBytes, sealKeyId }: SealedBlob) =>
  tools.db.transaction(async (tx) => {
    await tools.lease.requireHeld(tx);
    const added = await addBlob(tx, tools, {
      ...{ id: newId(), hash, sizeBytes, storedBytes, sealKeyId },
    });
    if (added && !(await reserveStorage(tx, tools.userId, storedBytes, tools.limitBytes))) {
      throw new StorageLimitReached();
    }
    return added;
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

/**
 * Where sealed bytes lie. A store knows nothing of what it holds: whoever reads checks the bytes
 * (`sealed-blobs.ts`), so a short, altered or foreign file is found there and not here.
 */
export type BlobStore = {
  readonly kind: 'file' | 's3';
  /** All of it or nothing; what stood under the name before is replaced. */
  put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Nothing but absence is `undefined`: a store that cannot say throws `StorageUnavailable`. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Done also when there was nothing. */
  delete(name: string): Promise<void>;
  /** The blobs of one account, or of all, in no certain order; what is no blob is passed over. */
  list(accountId?: string): AsyncIterable<StoredBlob>;
  /** What killed puts left behind for more than an hour; tells how many there were. */
  removeLeftovers(now: Date): Promise<number>;
};

/** `modifiedAt` lets a sweep leave alone what was written a moment ago. */
export type StoredBlob = { name: string; modifiedAt: Date; storedBytes: number };

export class StorageFull extends Error {
  constructor() {
    super('The storage is full');
    this.name = 'StorageFull';
  }
}

/** The store failed, which says nothing about whether a blob is there. */
export class StorageUnavailable extends Error {
  constructor(reason: string) {
    super(`The blob store cannot be used: ${reason}`);
    this.name = 'StorageUnavailable';
  }
}

export const largestBlobBytes = 64 * 1024 * 1024;

/**
 * No blob of ours is longer, seal and header included. Stores read no further: what is longer was
 * not written by us, and what is cut does not open.
 */
export const largestStoredBytes = largestBlobBytes + 1024;

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const accountPattern = new RegExp(`^${uuid}$`);
const hashPattern = /^[0-9a-f]{64}$/;
const copyPattern = new RegExp(`^${uuid}$`);
const namePattern = new RegExp(`^(${uuid})/([0-9a-f]{2})/(\\2[0-9a-f]{62})(?:\\.(${uuid}))?$`);

export const blobName = ({ accountId, hash, copyId }: BlobAddress): string => {
  requireAccountId(accountId);
  if (!hashPattern.test(hash)) throw new TypeError('Not the hash of a blob');
  if (copyId !== undefined && !copyPattern.test(copyId))
    throw new TypeError('Not the id of a copy');
  return `${accountId}/${hash.slice(0, 2)}/${hash}${copyId === undefined ? '' : `.${copyId}`}`;
};

/**
 * `copyId` tells apart what was stored, deleted and stored again: whoever deletes the first copy,
 * however late, cannot hit the second.
 */
export type BlobAddress = { accountId: string; hash: string; copyId?: string };

export const blobAddress = (name: string): BlobAddress | undefined => {
  const [, accountId, , hash, copyId] = namePattern.exec(name) ?? [];
  if (accountId === undefined || hash === undefined) return undefined;
  return { accountId, hash, ...(copyId !== undefined && { copyId }) };
};

/** Names become paths and keys: nothing else may ever get there. */
export const requireBlobName = (name: string): string => {
  if (blobAddress(name) === undefined) throw new TypeError('Not the name of a blob');
  return name;
};

export const isAccountId = (text: string): boolean => accountPattern.test(text);

export const requireAccountId = (accountId: string): string => {
  if (!isAccountId(accountId)) throw new TypeError('Not the id of an account');
  return accountId;
};

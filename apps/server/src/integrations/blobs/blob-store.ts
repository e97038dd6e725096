/**
 * Blobs: encrypted files, content-addressed per account. `sealed-blobs.ts` compresses, encrypts and
 * verifies; a store only keeps the sealed bytes (`file-store.ts`, `s3-store.ts`) and does not check them:
 * a truncated, altered or foreign file is detected in `sealed-blobs.ts`. `open-store.ts` reads BLOB_URL.
 */
export type BlobStore = {
  readonly kind: 'file' | 's3';
  /** Atomic; replaces what was stored under the name before. */
  put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** `undefined` means that it does not exist; any other failure throws `StorageUnavailable`. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Succeeds also when there was nothing. */
  delete(name: string): Promise<void>;
  /** The blobs of one account, or of all, in no particular order; other files are skipped. */
  list(accountId?: string): AsyncIterable<StoredBlob>;
  /** Removes what interrupted puts left more than an hour ago; returns how many there were. */
  removeLeftovers(now: Date): Promise<number>;
};

/** By `modifiedAt` a sweep skips what was written just now. */
export type StoredBlob = { name: string; modifiedAt: Date; storedBytes: number };

export class StorageFull extends Error {
  constructor() {
    super('The storage is full');
    this.name = 'StorageFull';
  }
}

/** The store failed; whether a blob exists is unknown. */
export class StorageUnavailable extends Error {
  constructor(reason: string) {
    super(`The blob store cannot be used: ${reason}`);
    this.name = 'StorageUnavailable';
  }
}

export const largestBlobBytes = 64 * 1024 * 1024;

/**
 * The largest stored blob, with seal and header. Stores read no further: a longer file was not written
 * by us, and a truncated one does not open.
 */
export const largestStoredBytes = largestBlobBytes + 1024;

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const accountPattern = new RegExp(`^${uuid}$`);
const hashPattern = /^[0-9a-f]{64}$/;
const namePattern = new RegExp(`^(${uuid})/([0-9a-f]{2})/(\\2[0-9a-f]{62})(?:\\.(${uuid}))?$`);

export const blobName = ({ accountId, hash, copyId }: BlobAddress): string => {
  requireAccountId(accountId);
  if (!hashPattern.test(hash)) throw new TypeError('Not the hash of a blob');
  if (copyId !== undefined && !isAccountId(copyId)) throw new TypeError('Not the id of a copy');
  return `${accountId}/${hash.slice(0, 2)}/${hash}${copyId === undefined ? '' : `.${copyId}`}`;
};

/**
 * `copyId` distinguishes a blob that was stored, deleted and stored again: a late deletion of the first
 * copy cannot remove the second.
 */
export type BlobAddress = { accountId: string; hash: string; copyId?: string };

export const blobAddress = (name: string): BlobAddress | undefined => {
  const [, accountId, , hash, copyId] = namePattern.exec(name) ?? [];
  if (accountId === undefined || hash === undefined) return undefined;
  return { accountId, hash, ...(copyId !== undefined && { copyId }) };
};

/** Names become paths and S3 keys, so nothing else may be used as one. */
export const requireBlobName = (name: string): string => {
  if (blobAddress(name) === undefined) throw new TypeError('Not the name of a blob');
  return name;
};

export const isAccountId = (text: string): boolean => accountPattern.test(text);

export const requireAccountId = (accountId: string): string => {
  if (!isAccountId(accountId)) throw new TypeError('Not the id of an account');
  return accountId;
};

const faultMessages = {
  missing: 'it is not there',
  truncated: 'its end is missing',
  unknownKey: 'it was sealed under a key that is not in the ring',
  altered: 'it was altered, or belongs elsewhere',
  wrongHash: 'it holds other bytes than its name says',
};

type BlobFault = keyof typeof faultMessages;

/** The stored bytes are not what was written. Reading them again does not help. */
export class BlobBroken extends Error {
  constructor(
    readonly reason: BlobFault,
    readonly address: BlobAddress,
  ) {
    super(`Blob ${address.hash} cannot be used: ${faultMessages[reason]}`);
    this.name = 'BlobBroken';
  }
}

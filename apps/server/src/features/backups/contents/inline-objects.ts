import type { Database } from '../../../db/connect.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { mapPlainData, walkPlainData } from '../../../kernel/plain-data.ts';
import { findBlob } from '../objects/queries.ts';
import { addressOf } from '../objects/read-objects.ts';

type ObjectSource = { db: Database; blobs: SealedBlobs; accountId: string };

type StoredObject = { hash: string; contentType: string };
/** `data:` URLs by the hash of their object. */
export type DataUrls = ReadonlyMap<string, string>;

const objectsAtOnce = 4;
const contentTypePattern = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

/** Pictures and sounds among entries of a snapshot, wherever they stand. */
export const findStoredObjects = (root: unknown): StoredObject[] => {
  const found: StoredObject[] = [];
  walkPlainData(root, (value) => {
    const isOne = isStoredObject(value);
    if (isOne) found.push(value);
    return !isOne;
  });
  return found;
};

/** The file of a message has more fields: there can be gigabytes of them, and they are only named. */
const isStoredObject = (value: unknown): value is StoredObject =>
  typeof value === 'object' &&
  value !== null &&
  'hash' in value &&
  typeof value.hash === 'string' &&
  'contentType' in value &&
  typeof value.contentType === 'string' &&
  Object.keys(value).length === 2;

/** How large one may be, and all together. */
type SizeLimit = { eachBytes: number; allBytes: number };

/** Without those that are too large or broken: a picture is no reason to show nothing. */
export const readDataUrls = async (
  source: ObjectSource,
  objects: readonly StoredObject[],
  { eachBytes, allBytes }: SizeLimit,
): Promise<DataUrls> => {
  let left = allBytes;
  const fits = (bytes: number): boolean => {
    if (bytes > eachBytes || bytes > left) return false;
    left -= bytes;
    return true;
  };
  const types = new Map(objects.map(({ hash, contentType }) => [hash, contentType]));
  const urls = new Map<string, string>();
  await inParallel(objectsAtOnce, [...types], async ([hash, contentType]) => {
    const bytes = contentTypePattern.test(contentType)
      ? await readObject(source, hash, fits)
      : undefined;
    if (bytes)
      urls.set(hash, `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`);
  });
  return urls;
};

const readObject = async (
  { db, blobs, accountId }: ObjectSource,
  hash: string,
  fits: (bytes: number) => boolean,
): Promise<Uint8Array | undefined> => {
  const blob = await findBlob(db, accountId, hash);
  if (!blob || !fits(blob.sizeBytes)) return undefined;
  return blobs.read(addressOf(blob)).catch((error) => {
    if (error instanceof BlobBroken) return undefined;
    throw error;
  });
};

/** The value with each stored object that was read as a `data:` URL in its place. */
export const inlineObjects = (root: unknown, urls: DataUrls): unknown =>
  mapPlainData(root, (value) =>
    isStoredObject(value) ? { to: urls.get(value.hash) ?? value } : undefined,
  );

import type { Database } from '../../../db/connect.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { findBlob } from '../objects/queries.ts';
import { addressOf } from '../objects/read-objects.ts';
import type { StoredImage } from '../snapshot/snapshot.ts';

export type PictureSource = { db: Database; blobs: SealedBlobs; accountId: string };

/** Pictures as `data:` URLs by the hash of their object. */
export type Pictures = ReadonlyMap<string, string>;

const picturesAtOnce = 4;
const pictureType = /^image\/(png|jpeg|gif|webp|avif)$/;

/** Without those that are larger, of another type, or broken: a picture is no reason to show nothing. */
export const readPictures = async (
  source: PictureSource,
  images: readonly StoredImage[],
  largestBytes: number,
): Promise<Pictures> => {
  const wanted = new Map(
    images.flatMap((image) =>
      image && pictureType.test(image.contentType) ? [[image.hash, image.contentType]] : [],
    ),
  );
  const read = await inParallel(picturesAtOnce, [...wanted], async ([hash = '', type = '']) => {
    const bytes = await readPicture(source, hash, largestBytes);
    return bytes ? [[hash, `data:${type};base64,${Buffer.from(bytes).toString('base64')}`]] : [];
  });
  return new Map(read.flat().map(([hash = '', url = '']) => [hash, url]));
};

const readPicture = async (
  { db, blobs, accountId }: PictureSource,
  hash: string,
  largestBytes: number,
): Promise<Uint8Array | undefined> => {
  const blob = await findBlob(db, accountId, hash);
  if (!blob || blob.sizeBytes > largestBytes) return undefined;
  return blobs.read(addressOf(blob)).catch((error) => {
    if (error instanceof BlobBroken) return undefined;
    throw error;
  });
};

import { readdirSync } from 'node:fs';
import { type Asset, makeBinaryAsset, readBytesBeside } from '../assets.ts';

/** With the size at which it is shown. */
export type GuidePicture = Asset & { width: number; height: number };

const folder = '../../../../../docs/guides/pictures';
export const picturesPath = '/guides/pictures';

/** Pixels for each one shown, as `npm run screenshots` takes them. */
const pixelRatio = 1.5;

export const pictureUrl = (file: string, { hash }: GuidePicture): string =>
  `${picturesPath}/${file}?v=${hash}`;

/** The pictures of the guides, by the names of their files. */
export const readGuidePictures = (): Map<string, GuidePicture> =>
  new Map(
    readdirSync(new URL(folder, import.meta.url)).map((file) => {
      const bytes = readBytesBeside(import.meta.url, `${folder}/${file}`);
      return [file, { ...makeBinaryAsset('image/webp', bytes), ...shownSize(bytes) }];
    }),
  );

/** From the header of the extended WebP format, which Chromium writes: 24 bits each, less one. */
const shownSize = (webp: Uint8Array<ArrayBuffer>): { width: number; height: number } => {
  const header = new DataView(webp.buffer);
  const lengthAt = (offset: number): number => {
    const pixels = (header.getUint32(offset, true) & 0xffffff) + 1;
    return Math.round(pixels / pixelRatio);
  };
  return { width: lengthAt(24), height: lengthAt(27) };
};

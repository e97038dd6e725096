import { readdirSync } from 'node:fs';
import { type Asset, makeBinaryAsset, readBytesBeside } from '../assets.ts';
import { type ShownSize, shownSizeOf } from '../webp-size.ts';

export type GuidePicture = Asset & ShownSize;

const folder = '../../../../../docs/guides/pictures';
export const picturesPath = '/guides/pictures';

export const pictureUrl = (file: string, { hash }: GuidePicture): string =>
  `${picturesPath}/${file}?v=${hash}`;

/** The pictures of the guides, by the names of their files. */
export const readGuidePictures = (): Map<string, GuidePicture> =>
  new Map(
    readdirSync(new URL(folder, import.meta.url)).map((file) => {
      const bytes = readBytesBeside(import.meta.url, `${folder}/${file}`);
      return [file, { ...makeBinaryAsset('image/webp', bytes), ...shownSizeOf(bytes) }];
    }),
  );

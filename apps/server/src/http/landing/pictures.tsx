/** @jsxImportSource hono/jsx */
import { type Asset, makeBinaryAsset, readBytesBeside } from '../assets.ts';
import { type ShownSize, shownSizeOf } from '../webp-size.ts';

const names = ['preview', 'protection', 'verify', 'pull'] as const;
export type PictureName = (typeof names)[number];
const schemes = ['light', 'dark'] as const;

const fileOf = (name: PictureName, scheme: (typeof schemes)[number]) => `${name}-${scheme}.webp`;

/** Screenshots of the dashboard in local mode, by the names of their files. */
export const pictures = new Map<string, Asset & ShownSize>(
  names.flatMap((name) =>
    schemes.map((scheme) => {
      const file = fileOf(name, scheme);
      const bytes = readBytesBeside(import.meta.url, `./pictures/${file}`);
      const picture = { ...makeBinaryAsset('image/webp', bytes), ...shownSizeOf(bytes) };
      return [file, picture] as const;
    }),
  ),
);

export const picturesPath = '/landing';

const urlOf = (file: string): string => `${picturesPath}/${file}?v=${pictures.get(file)?.hash}`;

/** Loaded when it is about to be seen; keeps its place until then. */
export const Picture = ({ name, alt }: { name: PictureName; alt: string }) => {
  const file = fileOf(name, 'light');
  const { width, height } = pictures.get(file) ?? {};
  return (
    <picture>
      <source srcset={urlOf(fileOf(name, 'dark'))} media="(prefers-color-scheme: dark)" />
      <img alt={alt} src={urlOf(file)} {...{ width, height }} loading="lazy" decoding="async" />
    </picture>
  );
};

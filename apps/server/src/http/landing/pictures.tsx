/** @jsxImportSource hono/jsx */
import { type Asset, makeBinaryAsset, readBytesBeside } from '../assets.ts';

const names = ['preview', 'protection', 'verify', 'pull'] as const;
export type PictureName = (typeof names)[number];
const schemes = ['light', 'dark'] as const;

/** As `npm run screenshots` makes them. */
const size = { width: 1320, height: 960 };

const fileOf = (name: PictureName, scheme: (typeof schemes)[number]) => `${name}-${scheme}.webp`;

/** Screenshots of the dashboard in local mode, by the names of their files. */
export const pictures = new Map<string, Asset>(
  names.flatMap((name) =>
    schemes.map((scheme) => {
      const file = fileOf(name, scheme);
      const bytes = readBytesBeside(import.meta.url, `./pictures/${file}`);
      return [file, makeBinaryAsset('image/webp', bytes)] as const;
    }),
  ),
);

export const picturesPath = '/landing';

const urlOf = (file: string): string => `${picturesPath}/${file}?v=${pictures.get(file)?.hash}`;

/** Loaded when it is about to be seen. */
export const Picture = ({ name, alt }: { name: PictureName; alt: string }) => (
  <picture>
    <source srcset={urlOf(fileOf(name, 'dark'))} media="(prefers-color-scheme: dark)" />
    <img src={urlOf(fileOf(name, 'light'))} alt={alt} {...size} loading="lazy" decoding="async" />
  </picture>
);

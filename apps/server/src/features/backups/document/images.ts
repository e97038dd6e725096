import type { StoredImage } from '../snapshot/snapshot.ts';

const extensions = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
  ['application/json', 'json'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['application/octet-stream', 'bin'],
]);
const contentTypes = new Map([...extensions].map(([type, extension]) => [extension, type]));

/** The name of an image in a document: its hash, and an extension for its type. */
export const nameOfImage = ({ hash, contentType }: NonNullable<StoredImage>): string =>
  `${hash}.${extensions.get(contentType) ?? 'bin'}`;

export const imageOfName = (name: string): NonNullable<StoredImage> => {
  const [hash = '', extension = ''] = name.split('.');
  return { hash, contentType: contentTypes.get(extension) ?? 'application/octet-stream' };
};

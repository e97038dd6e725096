import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../exit-codes.ts';
import { unlessMissing } from '../missing-file.ts';
import { type CommunityDocument, imagesOf, renameImages } from './document.ts';

/** By the name that the service has for it: its SHA-256 and its extension. */
export type Images = Map<string, Uint8Array>;

/** Where the images of a file are. */
export const assetsOf = (file: string): string => `${file}.assets`;

const largestBytes = 10 * 1024 * 1024;
/** No name that leads out of the folder has this form. */
const assetName = /^[\w-][\w.-]{0,199}\.(png|jpg|jpeg|gif|webp|avif|json|mp3|ogg|bin)$/i;

const serviceName = /^[0-9a-f]{64}\.[a-z0-9]+$/;

/** Writes the images beside the file, under names that people can read. */
export const writeAssets = async (
  file: string,
  document: CommunityDocument,
  images: Images,
): Promise<CommunityDocument> => {
  const folder = assetsOf(file);
  if (images.size > 0) await mkdir(folder, { recursive: true });
  const names = new Map<string, string>();
  const renamed = renameImages(document, (name, label) => {
    const known = names.get(name) ?? readableName(name, label);
    names.set(name, known);
    return known;
  });
  for (const [name, bytes] of images) {
    const asset = names.get(name);
    if (asset !== undefined) await writeFile(join(folder, asset), bytes);
  }
  return renamed;
};

/** The beginning of its hash keeps it apart from others. */
const readableName = (name: string, label: string): string => {
  const [hash = '', extension = 'bin'] = name.split('.');
  const slug = label.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return `${slug.slice(0, 60)}-${hash.slice(0, 8)}.${extension}`;
};

/** The document with the service's names for its images, and their bytes. */
export const readAssets = async (
  file: string,
  document: CommunityDocument,
): Promise<{ document: CommunityDocument; images: Images }> => {
  const images: Images = new Map();
  const names = new Map<string, string>();
  for (const asset of imagesOf(document)) {
    // The service's own name, as in a document that was written to a pipe: the service has it.
    if (serviceName.test(asset) && !(await look(join(assetsOf(file), asset)))) continue;
    const bytes = await readAsset(file, asset);
    const extension = asset.split('.').at(-1)?.toLowerCase().replace('jpeg', 'jpg');
    const name = `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
    images.set(name, bytes);
    names.set(asset, name);
  }
  return { document: renameImages(document, (asset) => names.get(asset) ?? asset), images };
};

const readAsset = async (file: string, asset: string): Promise<Uint8Array> => {
  const folder = assetsOf(file);
  if (!assetName.test(asset)) {
    throw new CommandError('usage', `${file}: ${JSON.stringify(asset)} is no image of ${folder}`, [
      'An image is named by its file in that folder, without a path.',
    ]);
  }
  const path = join(folder, asset);
  const found = await look(path);
  if (!found?.isFile()) throw new CommandError('usage', `${path} is not a file`);
  if (found.size > largestBytes) throw new CommandError('usage', `${path} is larger than 10 MiB`);
  return readFile(path);
};

/** Undefined where nothing is there; what cannot be looked at is not taken for missing. */
const look = (path: string) =>
  unlessMissing(lstat(path)).catch((error: Error) => {
    throw new CommandError('usage', `${path} cannot be read: ${error.message}`);
  });

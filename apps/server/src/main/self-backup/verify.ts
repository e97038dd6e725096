import { basename, dirname, join } from 'node:path';
import { blobAddress } from '../../integrations/blobs/blob-store.ts';
import type { Trust } from './authenticity.ts';
import { type CopiedBlob, readBlobList, readCopy } from './blobs.ts';
import { type Contents, readContents } from './contents.ts';
import { fileNames } from './files.ts';
import { hashFile } from './lines.ts';
import { folderNameAt, type Manifest, readManifest, timeOfFolder } from './manifest.ts';

type Verified = { manifest: Manifest; contents: Contents; blobs: CopiedBlob[] };

/** Throws unless everything in a backup is as it was made; nothing is written. */
export const verifyBackup = async (folder: string, trust: Trust): Promise<Verified> => {
  const manifest = await readManifest(folder, trust);
  requireOwnFolder(folder, manifest);
  await requireHash(folder, fileNames.database, manifest.database.sha256);
  await requireHash(folder, fileNames.blobs, manifest.blobs.sha256);
  const contents = await readContents(join(folder, fileNames.database), manifest.database);
  return { manifest, contents, blobs: await verifyBlobs(folder, manifest) };
};

/** An old backup under the name of a new one would bring back keys and people that are gone. */
const requireOwnFolder = (folder: string, { createdAt }: Manifest): void => {
  const name = folderNameAt(new Date(createdAt));
  if (!timeOfFolder(basename(folder)) || basename(folder) === name) return;
  throw new Error(
    `The backup is refused: it was made at ${createdAt}, and its folder says otherwise. If it is the one that you want, name its folder ${name}.`,
  );
};

const requireHash = async (folder: string, file: string, sha256: string): Promise<void> => {
  const found = await hashFile(join(folder, file)).catch(() => undefined);
  if (found === undefined) throw new Error(`The backup is damaged: ${file} is missing`);
  if (found !== sha256) throw new Error(`The backup is damaged: ${file} has other bytes`);
};

const verifyBlobs = async (folder: string, { blobs: listed }: Manifest): Promise<CopiedBlob[]> => {
  const blobs: CopiedBlob[] = [];
  for await (const blob of readBlobList(folder, listed.sha256)) {
    if (blobAddress(blob.name) === undefined) {
      throw new Error(`The backup is refused: ${blob.name} is no name of a blob`);
    }
    await readCopy(dirname(folder), blob);
    blobs.push(blob);
  }
  const names = new Set(blobs.map(({ name }) => name));
  if (names.size === listed.count && blobs.length === listed.count) return blobs;
  throw new Error(
    `The backup is damaged: ${blobs.length} blobs instead of ${listed.count}, or one twice`,
  );
};

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeyRing, sealedKeyId } from '../../kernel/seal.ts';
import { fileNames, writeSynced } from './files.ts';

/** By whom a backup must have been made. */
export type Trust = {
  ring: KeyRing | undefined;
  /** A tag that is there must be right nevertheless. */
  mayLackTag?: boolean;
};

const purpose = 'self-backup';

/** The manifest has the hashes of all other files, so its tag stands for the whole backup. */
export const writeTag = (folder: string, manifest: Buffer, ring: KeyRing): Promise<void> =>
  writeSynced(
    join(folder, fileNames.tag),
    Buffer.from(`${ring.authenticate(manifest, purpose)}\n`),
  );

/** Throws unless a holder of a master key wrote the manifest. */
export const requireAuthentic = async (
  folder: string,
  manifest: Buffer,
  { ring, mayLackTag }: Trust,
): Promise<void> => {
  const tag = await readTag(folder);
  if (tag === undefined && mayLackTag) return;
  if (tag === undefined) {
    throw new Error(
      `The backup is refused: it has no ${fileNames.tag}, so anybody could have altered it. Take another one. Only if it is from before there were tags, and nobody else could write its folder since, give --unauthenticated.`,
    );
  }
  const keyId = sealedKeyId(tag);
  if (!ring?.keyIds.includes(keyId)) {
    throw new Error(
      `MASTER_KEYS lacks keys that the backup was made with: ${keyId}. Set the keys of the time of the backup.`,
    );
  }
  if (ring.isAuthentic(manifest, tag, purpose)) return;
  throw new Error(
    `The backup is refused: ${fileNames.manifest} is not as Holdfast wrote it, or MASTER_KEYS has another key under the id ${keyId}. Set the keys of the time of the backup, or take another backup.`,
  );
};

const readTag = async (folder: string): Promise<string | undefined> => {
  try {
    return (await readFile(join(folder, fileNames.tag), 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

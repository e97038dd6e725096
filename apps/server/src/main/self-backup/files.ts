import { mkdir, open } from 'node:fs/promises';

export const fileNames = {
  database: 'database.gz',
  blobs: 'blobs.gz',
  manifest: 'manifest.json',
  tag: 'manifest.tag',
};

/** Only our user may read what is in a backup. */
export const makePrivateFolder = (path: string) => mkdir(path, { recursive: true, mode: 0o700 });

/** A new file, on the disk when this returns. */
export const writeSynced = async (path: string, bytes: Uint8Array): Promise<void> => {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
};

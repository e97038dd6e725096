import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded.ts';
import { holdDataDir } from '../db/hold.ts';
import { generateMasterKey, type KeyRing, parseKeyRing } from '../kernel/seal.ts';
import type { Config } from './config.ts';

export type Storage = { url: string; close(): Promise<void> };

/** The database that is set, or our own under the data folder, which is then ours alone. */
export const openStorage = async ({ databaseUrl, dataDir }: Config): Promise<Storage> => {
  if (databaseUrl !== undefined) return { url: databaseUrl, close: async () => undefined };
  const hold = await holdDataDir(dataDir);
  try {
    const postgres = await startEmbeddedPostgres(dataDir);
    const close = async () => {
      await postgres.stop();
      await hold.release();
    };
    return { url: postgres.url, close };
  } catch (error) {
    await hold.release();
    throw error;
  }
};

/** For a command run beside the service, or without it. */
export const joinStorage = async (config: Config): Promise<Storage> => {
  if (config.databaseUrl === undefined) {
    const url = await findRunningEmbeddedPostgres(config.dataDir);
    if (url !== undefined) return { url, close: async () => undefined };
  }
  return openStorage(config);
};

/** The ring that is set; in local mode one is made at the first start and kept in a file. */
export const loadKeyRing = async ({ masterKeys, masterKeyFile }: Config): Promise<KeyRing> => {
  if (masterKeys) return parseKeyRing(masterKeys.reveal());
  await mkdir(dirname(masterKeyFile), { recursive: true });
  try {
    await writeFile(masterKeyFile, `${generateMasterKey()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isThere) throw error;
  }
  return parseKeyRing((await readFile(masterKeyFile, 'utf8')).trim());
};

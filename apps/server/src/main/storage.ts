import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded.ts';
import { holdDataDir } from '../db/hold.ts';
import { readIfPresent } from '../db/if-present.ts';
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

/** The database of the service that runs, for a command run beside it; none is ever made for that. */
export const findStorage = async ({ databaseUrl, dataDir }: Config): Promise<string> => {
  const url = databaseUrl ?? (await findRunningEmbeddedPostgres(dataDir));
  if (url !== undefined) return url;
  throw new Error(
    `There is no database to speak to: nothing runs on ${dataDir}. Start the service ("npm start") and leave it running, or set DATABASE_URL (or DATA_DIR) as the service has it.`,
  );
};

/** The ring that is set, or that a service made here before. */
export const readKeyRing = async ({
  masterKeys,
  masterKeyFile,
}: Config): Promise<KeyRing | undefined> => {
  const text = masterKeys?.reveal() ?? (await readIfPresent(masterKeyFile));
  return text === undefined ? undefined : parseKeyRing(text.trim());
};

/** The ring that is set; where none need be, one is made at the first start and kept in a file. */
export const loadKeyRing = async (config: Config): Promise<KeyRing> => {
  const known = await readKeyRing(config);
  if (known) return known;
  const { masterKeyFile } = config;
  await mkdir(dirname(masterKeyFile), { recursive: true });
  try {
    await writeFile(masterKeyFile, `${generateMasterKey()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isThere) throw error;
  }
  return parseKeyRing((await readFile(masterKeyFile, 'utf8')).trim());
};

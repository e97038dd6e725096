import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lockDataDir } from '../db/embedded/data-dir-lock.ts';
import {
  findRunningEmbeddedPostgres,
  hasEmbeddedCluster,
  startEmbeddedPostgres,
} from '../db/embedded/embedded.ts';
import { readIfPresent } from '../db/embedded/system.ts';
import { generateMasterKey, type KeyRing, parseKeyRing } from '../kernel/seal.ts';
import type { Config } from './config.ts';

type Storage = { url: string; close(): Promise<void> };

/** The database of DATABASE_URL, or the embedded one in the data folder, which is locked for this process. */
export const openStorage = async ({ databaseUrl, dataDir }: Config): Promise<Storage> => {
  if (databaseUrl !== undefined) return { url: databaseUrl, close: async () => undefined };
  const hold = await lockDataDir(dataDir);
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

/** Where the database is, without credentials, for log messages. */
export const describeDatabase = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === undefined
    ? `the embedded PostgreSQL in ${dataDir}`
    : `PostgreSQL at ${new URL(databaseUrl).host}`;

/**
 * The existing database, for an operator command. If the service does not run, its embedded database is
 * started for the duration of the command. A database is never created here.
 */
export const joinStorage = async (config: Config): Promise<Storage> => {
  const { databaseUrl, dataDir } = config;
  const url = databaseUrl ?? (await findRunningEmbeddedPostgres(dataDir));
  if (url !== undefined) return { url, close: async () => undefined };
  if (await hasEmbeddedCluster(dataDir)) return openStorage(config);
  throw new Error(
    `There is no database: nothing runs on ${dataDir}, and it holds no database. Start the service ("npm start"), or set DATABASE_URL (or DATA_DIR) as the service has it.`,
  );
};

/** The keys of MASTER_KEYS, or those that a service generated in the data folder. */
export const readKeyRing = async ({
  masterKeys,
  masterKeyFile,
}: Config): Promise<KeyRing | undefined> => {
  const text = masterKeys?.reveal() ?? (await readIfPresent(masterKeyFile));
  return text === undefined ? undefined : parseKeyRing(text.trim());
};

/** The keys of MASTER_KEYS; without it, a key is generated at the first start and kept in a file. */
export const loadKeyRing = async (config: Config): Promise<KeyRing> => {
  const existing = await readKeyRing(config);
  if (existing) return existing;
  const { masterKeyFile } = config;
  await mkdir(dirname(masterKeyFile), { recursive: true });
  try {
    await writeFile(masterKeyFile, `${generateMasterKey()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists) throw error;
  }
  return parseKeyRing((await readFile(masterKeyFile, 'utf8')).trim());
};

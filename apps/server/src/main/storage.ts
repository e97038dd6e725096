import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { patientConnectSeconds } from '../db/connect.ts';
import { describeHosts } from '../db/database-url.ts';
import { lockDataDir } from '../db/embedded/data-dir-lock.ts';
import {
  findRunningEmbeddedPostgres,
  hasEmbeddedCluster,
  startEmbeddedPostgres,
} from '../db/embedded/embedded.ts';
import { readIfPresent } from '../db/embedded/system.ts';
import { findPrimary } from '../db/primary/primary.ts';
import { generateMasterKey, type KeyRing, parseKeyRing } from '../kernel/seal.ts';
import type { Config } from './config.ts';

type Storage = {
  url: string;
  /** For what needs a session of its own: the same, unless `url` leads to a pooler. */
  directUrl: string;
  close(): Promise<void>;
};

/** The database of DATABASE_URL, or the embedded one in the data folder, which is locked for this process. */
export const openStorage = async (config: Config): Promise<Storage> => {
  const { databaseUrl, databaseDirectUrl, dataDir } = config;
  if (databaseUrl !== undefined) return findStorage(databaseUrl, databaseDirectUrl);
  const hold = await lockDataDir(dataDir);
  try {
    const postgres = await startEmbeddedPostgres(dataDir);
    const close = async () => {
      await postgres.stop();
      await hold.release();
    };
    return { ...storageAt(postgres.url), close };
  } catch (error) {
    await hold.release();
    throw error;
  }
};

const storageAt = (url: string, directUrl = url): Storage => ({
  ...{ url, directUrl },
  close: async () => undefined,
});

const findStorage = async (url: string, directUrl?: string): Promise<Storage> => {
  const storage = storageAt(url, directUrl);
  for (const one of new Set([storage.directUrl, storage.url])) {
    await findPrimary(one, patientConnectSeconds * 1000);
  }
  return storage;
};

/** Where the database is, without credentials, for log messages. */
export const describeDatabase = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === undefined
    ? `the embedded PostgreSQL in ${dataDir}`
    : `PostgreSQL at ${describeHosts(databaseUrl)}`;

/**
 * The existing database, for an operator command. If the service does not run, its embedded database is
 * started for the duration of the command. A database is never created here.
 */
export const joinStorage = async (config: Config): Promise<Storage> => {
  const { databaseUrl, databaseDirectUrl, dataDir } = config;
  const url = databaseUrl ?? (await findRunningEmbeddedPostgres(dataDir));
  if (url !== undefined) return findStorage(url, databaseDirectUrl);
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

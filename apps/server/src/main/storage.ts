import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  findRunningEmbeddedPostgres,
  hasEmbeddedCluster,
  startEmbeddedPostgres,
} from '../db/embedded.ts';
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

/** For people: where the database is, without credentials. */
export const describeDatabase = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === undefined
    ? `the embedded PostgreSQL in ${dataDir}`
    : `PostgreSQL at ${new URL(databaseUrl).host}`;

/**
 * The database that is there, for a command run beside the service or without it: where the service
 * stands still, its own is run for as long as the command takes. None is ever made for that.
 */
export const joinStorage = async (config: Config): Promise<Storage> => {
  const { databaseUrl, dataDir } = config;
  const url = databaseUrl ?? (await findRunningEmbeddedPostgres(dataDir));
  if (url !== undefined) return { url, close: async () => undefined };
  if (await hasEmbeddedCluster(dataDir)) return openStorage(config);
  throw new Error(
    `There is no database to speak to: nothing runs on ${dataDir}, and it holds no database. Start the service ("npm start"), or set DATABASE_URL (or DATA_DIR) as the service has it.`,
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

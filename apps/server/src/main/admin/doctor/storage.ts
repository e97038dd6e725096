import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readIfPresent } from '../../../db/embedded/system.ts';
import { StorageFull, StorageUnavailable } from '../../../integrations/blobs/blob-store.ts';
import {
  checkBlobStore,
  describeBlobStore,
  openBlobStore,
} from '../../../integrations/blobs/open-store.ts';
import { errorCode } from '../../../kernel/describe-error.ts';
import { parseKeyRing } from '../../../kernel/seal.ts';
import type { Config } from '../../config.ts';
import { describeKeys, requireRingOpens } from '../../sealed-data.ts';
import type { OpenDatabase } from './database.ts';
import { type Check, nameOf, ok, problem, type Verdict, warning } from './finding.ts';

export const storageChecks = (open: OpenDatabase, config: Config): Check[] => [
  { name: 'master keys', run: () => checkKeys(open, config) },
  { name: 'object store', withinMs: 15_000, run: async () => [await checkStore(config)] },
  { name: 'disk', run: async () => [await checkDisk(config)] },
];

const checkKeys = async (open: OpenDatabase, config: Config): Promise<Verdict[]> => {
  const { masterKeys, masterKeyFile } = config;
  const text = masterKeys?.reveal() ?? (await readIfPresent(masterKeyFile));
  const ofFile = masterKeys === undefined ? await judgeKeyFile(masterKeyFile) : [];
  const fits = text === undefined ? await judgeNoKeys(open) : await judgeRing(open, text.trim());
  return [fits, ...ofFile];
};

const judgeRing = async (open: OpenDatabase, text: string): Promise<Verdict> => {
  try {
    const ring = parseKeyRing(text);
    await requireRingOpens(await open(), ring);
    const { keys } = await describeKeys(await open(), ring);
    const idle = keys.filter(({ mayBeRemoved }) => mayBeRemoved).map(({ keyId }) => keyId);
    const removable = idle.length > 0 ? `; ${idle.join(', ')} may be removed` : '';
    return ok(`${ring.keyIds.length} in the ring, which open all that is sealed${removable}`);
  } catch (error) {
    // Ours name key ids and tables alone.
    const isOurs = error instanceof Error && error.message.startsWith('MASTER_KEYS');
    if (!isOurs) throw error;
    return problem('the ring does not fit the stored data', error.message);
  }
};

const judgeNoKeys = async (open: OpenDatabase): Promise<Verdict> => {
  const { keys } = await describeKeys(await open(), undefined);
  if (keys.length === 0) return ok('none yet: the first start makes one');
  return problem(
    `there are none, and data is sealed under ${keys.map(({ keyId }) => keyId).join(', ')}`,
    'Set MASTER_KEYS, or DATA_DIR, as the service has it.',
  );
};

const openToOthers = 0o077;

const judgeKeyFile = async (file: string): Promise<Verdict[]> => {
  const found = await stat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!found || (found.mode & openToOthers) === 0) return [];
  return [problem(`others can read ${file}`, `Run "chmod 600 ${file}", then rotate the key.`)];
};

const checkStore = async (config: Config): Promise<Verdict> => {
  const where = describeBlobStore(config);
  try {
    const startedAt = performance.now();
    await checkBlobStore(openBlobStore(config));
    const tookMs = Math.round(performance.now() - startedAt);
    return ok(`${where} stored, gave back and deleted a probe in ${tookMs} ms`);
  } catch (error) {
    const isOurs = error instanceof StorageUnavailable || error instanceof StorageFull;
    const reason = isOurs ? error.message : nameOf(error);
    return problem(`${where}: ${reason}`, adviceFor(reason));
  }
};

const storeAdvice: [RegExp, string][] = [
  [/RequestTimeTooSkewed/, "This machine's clock is wrong: let it take its time from NTP."],
  [/InvalidAccessKeyId|SignatureDoesNotMatch/, 'Check the access key and its secret.'],
  [/AccessDenied/, 'Allow the key to put, get, list and delete objects of this bucket.'],
  [/NoSuchBucket/, 'Create the bucket, or correct its name in BLOB_URL.'],
  [/storage is full|ENOSPC/i, 'Make room, or raise the quota.'],
  [/EACCES|EPERM|EROFS/, 'Give the user that runs the service the folder of BLOB_URL or DATA_DIR.'],
];

const adviceFor = (reason: string): string =>
  storeAdvice.find(([pattern]) => pattern.test(reason))?.[1] ??
  'Check BLOB_URL, and whether this machine reaches that address.';

const gibibyte = 1024 ** 3;
const warnBytes = 5 * gibibyte;
const worstBytes = gibibyte / 2;

const checkDisk = async ({ dataDir }: Config): Promise<Verdict> => {
  const folder = await firstExisting(resolve(dataDir));
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const detail = `${(freeBytes / gibibyte).toFixed(1)} GiB are free in ${resolve(dataDir)}`;
  if (freeBytes > warnBytes) return ok(detail);
  const judge = freeBytes > worstBytes ? warning : problem;
  return judge(detail, 'Make room, or move DATA_DIR: a full disk stops the database and backups.');
};

/** Before the first start the folder is not there. */
const firstExisting = async (folder: string): Promise<string> => {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere ? folder : firstExisting(dirname(folder));
};

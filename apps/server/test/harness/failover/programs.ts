import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const postgresFolder = '/usr/lib/postgresql';

/** Debian's programs for a cluster with a manager; undefined where one of them is missing. */
const findPrograms = () => {
  const [patroni, etcd] = [Bun.which('patroni'), Bun.which('etcd')];
  const binaries = findBinaries();
  return patroni && etcd && binaries ? { patroni, etcd, binaries } : undefined;
};

/** The folder with all of PostgreSQL's programs, also those that the embedded one lacks. */
const findBinaries = (): string | undefined =>
  versionsOf(postgresFolder)
    .map((version) => join(postgresFolder, version, 'bin'))
    .find((folder) => Bun.which(join(folder, 'pg_rewind')));

/** The newest first. */
const versionsOf = (folder: string): string[] => {
  try {
    return readdirSync(folder).toSorted((one, other) => Number(other) - Number(one));
  } catch {
    return [];
  }
};

export type ClusterPrograms = NonNullable<ReturnType<typeof findPrograms>>;

export const clusterPrograms = findPrograms();
export const postgresBinaries = findBinaries();

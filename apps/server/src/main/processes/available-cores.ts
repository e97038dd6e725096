import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** The cores that this process may use: of the machine, by its affinity and by the quota of its cgroup. */
export const availableCores = (root = '/', cores = availableParallelism()): number =>
  Math.max(1, Math.floor(Math.min(cores, ...readQuotas(root))));

/** A quota of any cgroup above counts as well. Version 2 and version 1 have their own files. */
const readQuotas = (root: string): number[] =>
  readLines(join(root, 'proc/self/cgroup')).flatMap((line) => {
    const [id, controllers = '', path = '/'] = line.split(':');
    const isVersion2 = id === '0' && controllers === '';
    if (!isVersion2 && !controllers.split(',').includes('cpu')) return [];
    const folder = join(root, 'sys/fs/cgroup', isVersion2 ? '' : controllers);
    const read = isVersion2 ? readQuota : readQuotaOfVersion1;
    return withParents(path).flatMap((below) => read(join(folder, below)));
  });

const withParents = (path: string): string[] => {
  const parts = path.split('/').filter(Boolean);
  return [...parts.map((_, at) => parts.slice(0, at + 1).join('/')), ''];
};

const readQuota = (folder: string): number[] => {
  const [quota, period] = (readLines(join(folder, 'cpu.max'))[0] ?? '').split(' ');
  return ratioOf(quota, period);
};

const readQuotaOfVersion1 = (folder: string): number[] => {
  const [quota] = readLines(join(folder, 'cpu.cfs_quota_us'));
  const [period] = readLines(join(folder, 'cpu.cfs_period_us'));
  return ratioOf(quota, period);
};

/** `max` and -1 are no quota. */
const ratioOf = (quota: string | undefined, period: string | undefined): number[] => {
  const ratio = Number(quota) / Number(period);
  return ratio > 0 ? [ratio] : [];
};

const readLines = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from './config.ts';

/** Everybody may enter it, as PostgreSQL's user must. */
const commonFolder = '/var/lib/holdfast';

/**
 * Started as root, the embedded PostgreSQL runs as another user. Where that user cannot enter the usual
 * folder, as below /root, the data goes to one that they can, always the same for one place of the code.
 * A folder that was chosen by DATA_DIR, or that holds a database already, is left as it is.
 */
export const settleDataDir = (
  config: Config,
  { uid = process.getuid?.(), common = commonFolder } = {},
): Config => {
  const usual = resolve(config.dataDir);
  const isFixed = config.isDataDirSet || config.databaseUrl !== undefined || uid !== 0;
  if (isFixed || isThere(join(usual, 'postgres')) || canEverybodyEnter(usual)) return config;
  const project = dirname(usual);
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 8);
  return { ...config, ...config.placesIn(join(common, `${basename(project)}-${hash}`)) };
};

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Whether every folder on the way that exists lets strangers pass. */
const canEverybodyEnter = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && (found.mode & 0o001) === 0) return false;
  return dirname(path) === path || canEverybodyEnter(dirname(path));
};

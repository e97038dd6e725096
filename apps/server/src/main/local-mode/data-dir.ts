import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';

/** Every user may enter it, as PostgreSQL's user must. */
const commonFolder = '/var/lib/holdfast';

/**
 * Started as root, the embedded PostgreSQL runs as another user. If that user cannot enter the default
 * folder, as below /root, the data goes to a folder that they can enter, always the same for one checkout.
 * A folder that DATA_DIR names, or that holds a database already, is not replaced.
 */
export const settleDataDir = (
  config: Config,
  { uid = process.getuid?.(), common = commonFolder } = {},
): Config => {
  const usual = resolve(config.dataDir);
  const isFixed = config.isDataDirSet || config.databaseUrl !== undefined || uid !== 0;
  if (isFixed || exists(join(usual, 'postgres')) || canEverybodyEnter(usual)) return config;
  const project = dirname(usual);
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 8);
  return { ...config, ...config.placesIn(join(common, `${basename(project)}-${hash}`)) };
};

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Whether every existing folder of the path can be entered by all users. */
const canEverybodyEnter = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && (found.mode & 0o001) === 0) return false;
  return dirname(path) === path || canEverybodyEnter(dirname(path));
};

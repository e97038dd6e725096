import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Global, because Bun may load the modules again for each test file. */
const shared = globalThis as { holdfastDataDir?: string };

/** The data folder of processes that name none, so that none uses the developer's own. */
export const sharedDataDir = (): string => {
  shared.holdfastDataDir ??= makeDataDir();
  return shared.holdfastDataDir;
};

const makeDataDir = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-data-'));
  chmodSync(folder, 0o711);
  return folder;
};

export const removeSharedDataDir = (): void => {
  if (shared.holdfastDataDir) rmSync(shared.holdfastDataDir, { recursive: true, force: true });
};

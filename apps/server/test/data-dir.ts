import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Outlives the test files, which Bun may load each with modules of its own. */
const shared = globalThis as { holdfastDataDir?: string };

/** Of every process that names none, so that none writes into the data folder of whoever runs the tests. */
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

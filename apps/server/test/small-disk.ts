import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own with so many megabytes, where mounting one is allowed. */
export const mountSmallDisk = async (megabytes: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-disk-'));
  const command = ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder];
  const { success: isMounted } = Bun.spawnSync(command, { stderr: 'ignore' });
  const remove = async () => {
    if (isMounted) Bun.spawnSync(['umount', folder]);
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, isMounted, remove };
};

/** Only some may mount. */
export const mayMount = async (): Promise<boolean> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const { isMounted, remove } = await mountSmallDisk(1);
  await remove();
  return isMounted;
};

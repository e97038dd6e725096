import { test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mountSmallDisk = async (megabytes: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-disk-'));
  const command = ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder];
  const { success: isMounted } = Bun.spawnSync(command, { stderr: 'ignore' });
  const remove = async () => {
    if (isMounted) Bun.spawnSync(['umount', folder]);
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, isMounted, remove };
};

const mayMount = async (): Promise<boolean> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const { isMounted, remove } = await mountSmallDisk(1);
  await remove();
  return isMounted;
};

/**
 * A test on a disk of its own with so many megabytes. Mounting one takes rights that few machines
 * give: where they are missing the test is skipped, and its name says why.
 */
export const testOnSmallDisk = async (
  name: string,
  megabytes: number,
  run: (folder: string) => Promise<void>,
): Promise<void> => {
  if (!(await mayMount())) {
    test.skip(`${name} [skipped: a tmpfs cannot be mounted here]`, () => undefined);
    return;
  }
  const onDisk = async () => {
    const { folder, remove } = await mountSmallDisk(megabytes);
    try {
      await run(folder);
    } finally {
      await remove();
    }
  };
  test(name, onDisk);
};

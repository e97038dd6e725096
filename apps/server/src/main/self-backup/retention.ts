import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteUnlisted } from './blobs.ts';
import { listBackups, partialPrefix } from './manifest.ts';

type Deleted = { deletedBackups: number; notDeleted?: string };

/**
 * Deletes all but the newest backups, and then the copies of blobs that were theirs alone. Never throws: the
 * backup that was just made is good, and a run that is repeated would delete another old one each time.
 */
export const deleteOlder = async (to: string, keep: number): Promise<Deleted> => {
  let deletedBackups = 0;
  try {
    const old = (await listBackups(to)).slice(keep);
    for (const { name } of old) {
      await rm(join(to, name), { recursive: true });
      deletedBackups += 1;
    }
    if (deletedBackups > 0 && !(await isAnotherUnderWay(to))) await deleteUnlisted(to);
    return { deletedBackups };
  } catch (error) {
    return { deletedBackups, notDeleted: error instanceof Error ? error.message : String(error) };
  }
};

/** Its copies are listed nowhere yet. What is left for its sake is deleted the next time. */
const isAnotherUnderWay = async (to: string): Promise<boolean> =>
  (await readdir(to)).some((name) => name.startsWith(partialPrefix));

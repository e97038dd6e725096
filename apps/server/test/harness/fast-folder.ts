import {
  accessSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
/** Room for the databases and blobs of the files that run at the same time. */
const neededBytes = 4 * 1024 ** 3;

let chosen: string | undefined;

/**
 * Where the PostgreSQL of the tests and the services' blobs are: in memory, where there is room. A database
 * is a thousand files, and every test file has a new one: on a disk that is most of what short files take.
 * A blob counts as stored only when the disk has it, which takes longer than all else about it.
 */
export const fastFolder = (): string => {
  chosen ??= isFit(inMemory) ? inMemory : tmpdir();
  return chosen;
};

const isFit = (folder: string): boolean =>
  isThere(folder) && hasRoom(folder) && canRunPrograms(folder);

const isThere = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const hasRoom = (folder: string): boolean => {
  const { bavail, bsize } = statfsSync(folder);
  const [, freeKilobytes] =
    /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return Math.min(bavail * bsize, Number(freeKilobytes) * 1024) >= neededBytes;
};

/** PostgreSQL's programs may be copied beside its data; in a container they could often not be run there. */
const canRunPrograms = (folder: string): boolean => {
  const own = mkdtempSync(join(folder, 'holdfast-test-'));
  try {
    const program = join(own, 'program');
    writeFileSync(program, '', { mode: 0o755 });
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(own, { recursive: true });
  }
};

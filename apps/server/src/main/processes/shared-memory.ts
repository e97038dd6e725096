import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../kernel/describe-error.ts';

/** Where a process finds the descriptor that it inherited: after its standard ones. */
export const inheritedFd = 3;

/** In memory where the system has such a folder. */
const folders = ['/dev/shm', tmpdir()];

/**
 * A file without a name, whose descriptor the processes inherit: nothing is left of it after the last of
 * them, however they end.
 */
export const createSharedMemory = (bytes: number): { fd: number; close(): void } => {
  const fd = openNameless();
  ftruncateSync(fd, bytes);
  return { fd, close: () => closeSync(fd) };
};

export const mapSharedMemory = (fd: number): Uint8Array =>
  Bun.mmap(`/proc/self/fd/${fd}`, { shared: true });

const openNameless = (): number => {
  const reasons: string[] = [];
  for (const folder of folders) {
    const file = join(folder, `holdfast-${randomUUID()}`);
    try {
      const fd = openSync(file, 'wx+', 0o600);
      unlinkSync(file);
      return fd;
    } catch (error) {
      reasons.push(`${folder}: ${errorCode(error) ?? 'unknown reason'}`);
    }
  }
  throw new Error(
    `Several processes need a folder to share memory through (${reasons.join(', ')}): set TMPDIR to one that can be written`,
  );
};

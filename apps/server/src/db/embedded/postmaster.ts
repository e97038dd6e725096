import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfPresent, runProgram } from './system.ts';

/** The main process of a running server, by its pid file. */
export type Postmaster = { pid: number; port: number; isReady: boolean };

/** The server running on this cluster, if there is one; a stale pid file does not count. */
export async function findPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  const postmaster = await readPidFile(clusterDir);
  if (!postmaster) return undefined;
  return (await isServerOf(postmaster.pid, clusterDir)) ? postmaster : undefined;
}

/** Waits while a server is starting up (until it is ready) or shutting down (until it is gone). */
export async function settlePostmaster(
  clusterDir: string,
  timeoutMs: number,
): Promise<Postmaster | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const postmaster = await findPostmaster(clusterDir);
    if (!postmaster || postmaster.isReady || performance.now() > deadline) return postmaster;
    await Bun.sleep(50);
  }
}

/**
 * PostgreSQL itself ignores a pid file whose process is gone, but not one whose pid now belongs to
 * another program (after a reboot, or in a container). Should processes of the dead server remain, it
 * still finds them by the shared memory named after the folder, and refuses to start.
 */
export async function removeStalePidFile(clusterDir: string): Promise<void> {
  const postmaster = await readPidFile(clusterDir);
  if (!postmaster || !isAlive(postmaster.pid)) return;
  if (await isServerOf(postmaster.pid, clusterDir)) return;
  await rm(pidFileOf(clusterDir), { force: true });
}

function pidFileOf(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/** Lines: pid, folder, start time, port, socket folder, address, shared memory, state. */
async function readPidFile(clusterDir: string): Promise<Postmaster | undefined> {
  const lines = (await readIfPresent(pidFileOf(clusterDir)))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  // A server that is starting has not written its port yet and is not ready.
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/**
 * By its command line, which every user may read. Its working directory would be more exact, but root
 * in a container may not read that. A zombie has no command line.
 */
async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  return (await readCommandLine(pid)).includes(` -D ${clusterDir} `);
}

async function readCommandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return line.replaceAll('\0', ' ');
  }
  const asked =
    process.platform === 'win32'
      ? await runProgram('powershell', ['-NoProfile', '-Command', windowsQuery(pid)])
      : await runProgram('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return asked.output.replaceAll('"', '').replaceAll('\n', ' ');
}

function windowsQuery(pid: number): string {
  return `(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').CommandLine`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Gone, or another user's: PostgreSQL takes both for stale by itself.
    return false;
  }
}

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './embedded-run.ts';
import { readIfPresent } from './if-present.ts';

/** The first process of a running server, as it describes itself in its pid file. */
export type Postmaster = { pid: number; port: number; isReady: boolean };

/** The server running on this cluster, if there is one; a stale pid file is no server. */
export async function findPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  const postmaster = await readPidFile(clusterDir);
  if (!postmaster) return undefined;
  return (await isServerOf(postmaster.pid, clusterDir)) ? postmaster : undefined;
}

/** Waits while a server is starting up (until it is ready) or shutting down (until it is gone). */
export async function settlePostmaster(
  clusterDir: string,
  patienceMs: number,
): Promise<Postmaster | undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const postmaster = await findPostmaster(clusterDir);
    if (!postmaster || postmaster.isReady || performance.now() > deadline) return postmaster;
    await Bun.sleep(50);
  }
}

/**
 * PostgreSQL itself sees through a pid file whose process is gone, but not through one whose number
 * now belongs to another program (after a reboot, or in a container). Should processes of a
 * dead server remain all the same, PostgreSQL still finds them by the shared memory named after
 * the folder, and refuses to start.
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
  // A server that has only begun has written no port yet, and cannot be ready.
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/**
 * Told by its command line, which anyone may read: the folder it works in would say it better, but
 * root in a container may not look at that. A process dead but not yet buried has none.
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

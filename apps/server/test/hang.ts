import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const maxSilenceMs = 15 * 60_000;

/**
 * Ends a run in which no file has begun for 15 minutes, and names the files that were running: each process
 * of the run writes the file it begins into `folder` (see `harness/preload.ts`). No test may take that long,
 * but one that never gives the loop back is not ended by its time limit.
 */
export const watchForHang = (
  folder: string,
  tests: { kill(signal: NodeJS.Signals): void },
  silenceMs = maxSilenceMs,
): (() => void) => {
  const began = Date.now();
  const look = () => {
    const pids = readdirSync(folder);
    const begins = pids.map((pid) => statSync(join(folder, pid)).mtimeMs);
    if (Date.now() - Math.max(began, ...begins) < silenceMs) return;
    const files = pids.map((pid) => readFileSync(join(folder, pid), 'utf8'));
    process.stderr.write(`No test file has begun for 15 minutes. Running: ${files.join(' ')}\n`);
    tests.kill('SIGKILL');
    // They would go on without the process that started them.
    for (const pid of pids) killIfRunning(Number(pid));
  };
  const timer = setInterval(look, Math.min(silenceMs, 10_000));
  return () => clearInterval(timer);
};

const killIfRunning = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

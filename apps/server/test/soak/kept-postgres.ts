import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts';
import { restartPostgres } from '../harness/database-faults/restart-postgres.ts';
import { makeFolder } from '../harness/running-service.ts';

/** A PostgreSQL that writes to disk as in production, and that crashes when it is told to. */
export type KeptPostgres = {
  url: string;
  wasAwaySince(atMs: number): boolean;
  /** Kills its first process, or one that serves a connection, which makes it restart by itself. */
  crash(victim: 'postmaster' | 'backend'): Promise<void>;
  stop(): Promise<void>;
};

/** Within this time after it is back, everything that uses it has to work again. */
const recoveryMs = 15_000;
const startWithinMs = 60_000;

export const keepPostgres = async (): Promise<KeptPostgres> => {
  const folder = await makeFolder();
  const { url, stop } = await startEmbeddedPostgres(folder);
  let isAway = false;
  let wasBackAtMs = 0;
  const away = async (act: () => Promise<void>) => {
    isAway = true;
    await act();
    isAway = false;
    wasBackAtMs = Date.now();
  };
  return {
    url,
    stop,
    wasAwaySince: (atMs) => isAway || wasBackAtMs + recoveryMs >= atMs,
    crash: (victim) =>
      away(async () => {
        const postmaster = await findPostmaster(folder);
        if (victim === 'backend') return killBackend(postmaster);
        process.kill(postmaster, 'SIGKILL');
        await startAgain(folder);
      }),
  };
};

const findPostmaster = async (folder: string): Promise<number> =>
  Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);

const killBackend = async (postmaster: number): Promise<void> => {
  const listed = Bun.spawnSync(['ps', '-o', 'pid=,args=', '--ppid', String(postmaster)]);
  const backend = listed.stdout
    .toString()
    .split('\n')
    .find((line) => line.includes(' holdfast '));
  if (backend) process.kill(Number.parseInt(backend, 10), 'SIGKILL');
};

/** Not before the last process of the killed one has noticed and ended. */
const startAgain = async (folder: string): Promise<void> => {
  const deadline = Date.now() + startWithinMs;
  for (;;) {
    try {
      return await restartPostgres(folder);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await Bun.sleep(500);
    }
  }
};

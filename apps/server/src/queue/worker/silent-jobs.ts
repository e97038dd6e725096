import type { PgBoss } from 'pg-boss';
import type { Database } from '../../db/connect.ts';
import type { Log } from '../../kernel/log.ts';
import { listSilentQueues } from '../queries.ts';

type SilentDependencies = {
  boss: Pick<PgBoss, 'supervise'>;
  db: Database;
  log: Log;
  everyMs: number;
};

/**
 * pg-boss queues the short jobs of dead workers again, but in an upkeep of many statements that reads the
 * whole table several times. So that runs once a minute (`boss.ts`), and in between only for queues in which
 * a job has missed its heartbeats. Long jobs have leases (`lease/`).
 */
export const retrySilentJobs = ({
  boss,
  db,
  log,
  everyMs,
}: SilentDependencies): { stop(): void } => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const retry = async () => {
    const queues = await listSilentQueues(db);
    for (const queue of queues) if (!isStopped) await boss.supervise(queue);
    // The upkeep leaves out a queue that was just looked at, maybe a moment too early.
    return queues.length > 0 ? everyMs / 4 : everyMs;
  };
  const look = async () => {
    const waitMs = await retry().catch((err) => {
      log.warn({ err }, 'jobs of dead workers could not be looked for; trying again');
      return everyMs;
    });
    if (!isStopped) timer = setTimeout(look, waitMs);
  };
  timer = setTimeout(look, everyMs);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};

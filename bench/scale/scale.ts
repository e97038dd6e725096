import { migrateDatabase } from '../../apps/server/src/db/migrate.ts';
import { parseKeyRing } from '../../apps/server/src/kernel/seal.ts';
import { startTestService } from '../../apps/server/test/harness/service.ts';
import { print } from '../lib/print.ts';
import { openCluster, serviceSettings } from './cluster.ts';
import { type TimedJob, timeJobs } from './jobs.ts';
import { type Timed, timeLists } from './lists.ts';
import { openPlanLog } from './plan-log.ts';
import {
  explainSettings,
  findMeasuredServers,
  listLargeTables,
  markOneDeleted,
} from './queries/measured.ts';
import { reportJobs, reportLists } from './report.ts';

type Measured = {
  large: Timed[];
  usual: Timed[];
  jobs: TimedJob[];
  /** Tables of which a scan takes long. */
  largeTables: string[];
};

/** The key that everything is said to be sealed under; nothing of it can be opened. */
const ring = parseKeyRing(`k1:${Buffer.alloc(32).toString('base64')}`);

/** Every list and every job over two databases that `bench:fill` filled, a small and a large one. */
export const measureScale = async (small?: string, large?: string): Promise<void> => {
  if (!small || !large) throw new Error('--small and --large name folders that bench:fill filled');
  const measured = [await measureFolder(small), await measureFolder(large)] as const;
  print('scale: lists of an account like most others, in the database');
  reportLists(measured[0].usual, measured[1].usual, measured[1].largeTables);
  print('scale: lists of an account with a member in twenty');
  reportLists(measured[0].large, measured[1].large, measured[1].largeTables);
  print('scale: jobs, the statement that grew most');
  reportJobs(measured[0].jobs, measured[1].jobs, measured[1].largeTables);
};

const measureFolder = async (folder: string): Promise<Measured> => {
  const cluster = await openCluster(folder, { ...serviceSettings, ...explainSettings });
  try {
    await migrateDatabase(cluster.url);
    const service = await startTestService({ databaseUrl: cluster.url, ring });
    const log = openPlanLog(folder, cluster.sql, 'holdfast-test');
    const { large, usual } = await findMeasuredServers(cluster.sql);
    const onRefused = (what: string) => print(`  not measured: ${what}`);
    const lists = {
      usual: await timeLists({ service, log }, usual, onRefused),
      large: await timeLists({ service, log }, large, onRefused),
    };
    const doomedServerId = await markOneDeleted(cluster.sql, [usual, large]);
    const jobs = await timeJobs({ service, log }, usual, doomedServerId, onRefused);
    const largeTables = await listLargeTables(cluster.sql);
    await service.stop();
    return { ...lists, jobs, largeTables };
  } finally {
    await cluster.stop();
  }
};

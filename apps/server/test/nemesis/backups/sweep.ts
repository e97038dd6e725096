import { chooseKillPoints, type KillPoint, nameOf, neverKilled } from '../lane/kill.ts';
import type { Outcome } from '../outcome.ts';
import { doRuns, type Run, type SweepOptions } from '../sweep.ts';
import { runBackup } from './run.ts';
import { type BackupSetup, openBackupSetup } from './setup.ts';

/** How many platform calls and blob writes a backup of a guild makes that it knows nothing of. */
const countSteps = async (setup: BackupSetup): Promise<{ calls: number; writes: number }> => {
  const { violations } = await runBackup(setup, neverKilled);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  return { calls: (await setup.lane.readLog()).length, writes: setup.proxy.seen() };
};

/** Every call and every blob write of a backup at every moment, and kills at random times. */
export const sweepBackups = async (options: SweepOptions): Promise<Outcome[]> => {
  const first = await openBackupSetup();
  const startedAt = performance.now();
  const { calls, writes } = await countSteps(first);
  const tookMs = performance.now() - startedAt;
  options.say(`a backup makes ${calls} calls and ${writes} blob writes`);
  const points = chooseKillPoints({ calls, writes, tookMs }, options);
  const setups = [first];
  const open = async () => setups.shift() ?? (await openBackupSetup());
  return doRuns(points.map(killRun), options, open);
};

const killRun = (point: KillPoint): Run<BackupSetup> => ({
  name: nameOf(point),
  run: (setup) => runBackup(setup, point),
});

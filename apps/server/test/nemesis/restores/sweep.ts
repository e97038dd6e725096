import { backUp } from '../lane/calls.ts';
import { chooseKillPoints, type KillPoint, nameOf, neverKilled } from '../lane/kill.ts';
import { type Lane, openLane } from '../lane/lane.ts';
import type { Outcome } from '../outcome.ts';
import { doRuns, type Run, type SweepOptions } from '../sweep.ts';
import {
  runDeletedMeanwhile,
  runDeletedServer,
  runParallelRestores,
  runPausedWorker,
} from './interruptions.ts';
import { runRestore } from './run.ts';

type Setup = { lane: Lane; backupId: string };

/** An installation with a backup of the guild as it was. */
const openRestoreSetup = async (): Promise<Setup> => {
  const lane = await openLane();
  return { lane, backupId: await backUp(lane) };
};

const countCalls = async ({ lane, backupId }: Setup): Promise<number> => {
  const { violations } = await runRestore(lane, backupId, neverKilled);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  return (await lane.readLog()).length;
};

/** Kills at every call and moment of a restore, and other interruptions. */
export const sweepRestores = async (options: SweepOptions): Promise<Outcome[]> => {
  const first = await openRestoreSetup();
  const startedAt = performance.now();
  const calls = await countCalls(first);
  const tookMs = performance.now() - startedAt;
  options.say(`a restore makes ${calls} calls and takes ${Math.round(tookMs)} ms`);
  const setups = [first];
  const open = async () => setups.shift() ?? (await openRestoreSetup());
  const points = chooseKillPoints({ calls, tookMs }, options);
  const edges = [runParallelRestores, runPausedWorker, runDeletedServer, runDeletedMeanwhile];
  return doRuns([...points.map(killRun), ...edges.map(edgeRun)], options, open);
};

const edgeRun = (act: (lane: Lane, backupId: string) => Promise<Outcome>): Run<Setup> => ({
  name: act.name,
  run: ({ lane, backupId }) => act(lane, backupId),
});

const killRun = (point: KillPoint): Run<Setup> => ({
  name: nameOf(point),
  run: ({ lane, backupId }) => runRestore(lane, backupId, point),
});

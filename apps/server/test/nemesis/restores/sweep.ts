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
import { repairing, replacing, type Way } from './way.ts';

type Setup = { lane: Lane; backupId: string };

/** An installation with a backup of the guild as it was. */
const openRestoreSetup = async (): Promise<Setup> => {
  const lane = await openLane();
  return { lane, backupId: await backUp(lane) };
};

const countCalls = async ({ lane, backupId }: Setup, way: Way): Promise<number> => {
  const { violations } = await runRestore(lane, backupId, neverKilled, way);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  return (await lane.readLog()).length;
};

/** Kills at every call and moment of a restore, and other interruptions. */
export const sweepRestores = (options: SweepOptions): Promise<Outcome[]> => {
  const edges = [runParallelRestores, runPausedWorker, runDeletedServer, runDeletedMeanwhile];
  return sweep(options, replacing, edges.map(edgeRun));
};

/** The same for a repair, which deletes what the raid added and keeps what it left. */
export const sweepRepairs = (options: SweepOptions): Promise<Outcome[]> =>
  sweep(options, repairing, []);

const sweep = async (options: SweepOptions, way: Way, edges: Run<Setup>[]): Promise<Outcome[]> => {
  const first = await openRestoreSetup();
  const startedAt = performance.now();
  const calls = await countCalls(first, way);
  const tookMs = performance.now() - startedAt;
  options.say(`a restore makes ${calls} calls and takes ${Math.round(tookMs)} ms`);
  const setups = [first];
  const open = async () => setups.shift() ?? (await openRestoreSetup());
  const points = chooseKillPoints({ calls, tookMs }, options);
  return doRuns([...points.map((point) => killRun(point, way)), ...edges], options, open);
};

const edgeRun = (act: (lane: Lane, backupId: string) => Promise<Outcome>): Run<Setup> => ({
  name: act.name,
  run: ({ lane, backupId }) => act(lane, backupId),
});

const killRun = (point: KillPoint, way: Way): Run<Setup> => ({
  name: nameOf(point),
  run: ({ lane, backupId }) => runRestore(lane, backupId, point, way),
});

import { type KillPoint, moments, nameOf } from './kill.ts';
import { type Lane, openLane } from './lane.ts';
import { backUp } from './lane-calls.ts';
import type { Outcome } from './outcome.ts';
import { createRandom, pickSpread } from './random.ts';
import {
  runDeletedMeanwhile,
  runDeletedServer,
  runParallelRestores,
  runPausedWorker,
} from './restore-edges.ts';
import { runRestore } from './restore-run.ts';
import { doRuns, type Run, type SweepOptions } from './sweep.ts';

type Place = { lane: Lane; backupId: string };

/** An installation with a backup of the guild as it was. */
const openRestorePlace = async (): Promise<Place> => {
  const lane = await openLane();
  return { lane, backupId: await backUp(lane) };
};

/** Nobody is killed: what a restore does when it is left alone. */
const neverKilled: KillPoint = { at: 'call', nth: 1_000_000, when: 'before' };

const countCalls = async ({ lane, backupId }: Place): Promise<number> => {
  const { violations } = await runRestore(lane, backupId, neverKilled);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  return (await lane.readLog()).length;
};

/** Every call of a restore at every moment, and what else can befall a worker. */
export const sweepRestores = async (options: SweepOptions): Promise<Outcome[]> => {
  const first = await openRestorePlace();
  const startedAt = performance.now();
  const calls = await countCalls(first);
  const tookMs = performance.now() - startedAt;
  options.say(`a restore makes ${calls} calls and takes ${Math.round(tookMs)} ms`);
  const places = [first];
  const open = async () => places.shift() ?? (await openRestorePlace());
  const points = choosePoints(calls, tookMs, options);
  const edges = [runParallelRestores, runPausedWorker, runDeletedServer, runDeletedMeanwhile];
  return doRuns([...points.map(killRun), ...edges.map(edgeRun)], options, open);
};

const edgeRun = (act: (lane: Lane, backupId: string) => Promise<Outcome>): Run<Place> => ({
  name: act.name,
  run: ({ lane, backupId }) => act(lane, backupId),
});

const killRun = (point: KillPoint): Run<Place> => ({
  name: nameOf(point),
  run: ({ lane, backupId }) => runRestore(lane, backupId, point),
});

const choosePoints = (calls: number, tookMs: number, options: SweepOptions): KillPoint[] => {
  const random = createRandom(options.seed);
  const all = Array.from({ length: calls }, (_, index) =>
    moments.map((when): KillPoint => ({ at: 'call', nth: index + 1, when })),
  ).flat();
  const chosen = pickSpread(all, options.sample ?? all.length, random);
  const timed = Array.from({ length: options.randomKills }, (): KillPoint => {
    return { at: 'time', afterMs: Math.floor(random() * tookMs) };
  });
  return [...chosen, ...timed];
};

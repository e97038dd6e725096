import { type KillPoint, moments, nameOf } from './kill.ts';
import type { Outcome } from './outcome.ts';
import { judgePull } from './pull-checks.ts';
import { openPullPlace, type PullPlace } from './pull-place.ts';
import { carryOut, type PullRecord, runPull } from './pull-run.ts';
import { createRandom, pickSpread } from './random.ts';
import { doRuns, type Run, type SweepOptions } from './sweep.ts';

const neverKilled: KillPoint = { at: 'call', nth: 1_000_000, when: 'before' };

/** What a pull does when it is left alone: its calls, refreshes of tokens among them, and its time. */
const measurePull = async (place: PullPlace) => {
  const run = await carryOut(place, neverKilled);
  const violations = await judgePull(place, run);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  const last = run.readings.at(-1);
  return { calls: place.proxy.seen(), tookMs: last ? durationOf(last) : 0 };
};

const durationOf = ({ createdAt, completedAt }: PullRecord): number =>
  Date.parse(completedAt ?? createdAt) - Date.parse(createdAt);

/** Every call of a pull of sixty at every moment, and kills at random times. */
export const sweepPulls = async (options: SweepOptions): Promise<Outcome[]> => {
  const first = await openPullPlace();
  const { calls, tookMs } = await measurePull(first);
  options.say(`a pull makes ${calls} calls and takes ${tookMs} ms`);
  const places = [first];
  const open = async () => places.shift() ?? (await openPullPlace());
  return doRuns(choosePoints(calls, tookMs, options).map(killRun), options, open);
};

const choosePoints = (calls: number, tookMs: number, options: SweepOptions): KillPoint[] => {
  const random = createRandom(options.seed);
  const all = Array.from({ length: calls }, (_, index) =>
    moments.map((when): KillPoint => ({ at: 'call', nth: index + 1, when })),
  ).flat();
  const timed = Array.from({ length: options.randomKills }, (): KillPoint => {
    return { at: 'time', afterMs: Math.floor(random() * tookMs) };
  });
  return [...pickSpread(all, options.sample ?? all.length, random), ...timed];
};

const killRun = (point: KillPoint): Run<PullPlace> => ({
  name: nameOf(point),
  run: (place) => runPull(place, point),
});

import { isAlive } from '../harness/running-service.ts';
import type { Lane } from './lane/lane.ts';
import { type Outcome, runSafely } from './outcome.ts';

export type SweepOptions = {
  seed: number;
  /** How many of the kill points are tried; all where it is left out. */
  sample?: number;
  /** How many kills at a random time come on top. */
  randomKills: number;
  /** How many installations work side by side. */
  lanes: number;
  /** How many runs are left out because they were done before. */
  after?: number;
  say(line: string): void;
};

export type Run<Setup> = { name: string; run(setup: Setup): Promise<Outcome> };

/** Runs all, each in the first free setup. */
export const doRuns = async <Setup extends { lane: Lane }>(
  runs: Run<Setup>[],
  { lanes, after = 0, say }: Pick<SweepOptions, 'lanes' | 'after' | 'say'>,
  open: () => Promise<Setup>,
): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  const waiting = runs.slice(after);
  const startedAt = performance.now();
  const tell = () => {
    const bad = outcomes.filter(({ violations }) => violations.length > 0).length;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    say(`${after + outcomes.length} of ${runs.length} runs, ${bad} with violations, ${seconds} s`);
  };
  const workThrough = async () => {
    let setup: Setup | undefined;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, run } = next;
      setup ??= await open();
      const outcome = await doRun(setup, name, run);
      outcomes.push(outcome);
      for (const violation of outcome.violations) say(`${name}: ${violation}`);
      tell();
      if (outcome.isLaneSpent) {
        await setup.lane.close();
        setup = undefined;
      }
    }
    await setup?.lane.close();
  };
  await Promise.all(Array.from({ length: Math.min(lanes, runs.length) }, workThrough));
  return outcomes;
};

const doRun = <Setup extends { lane: Lane }>(
  setup: Setup,
  name: string,
  run: (setup: Setup) => Promise<Outcome>,
): Promise<Outcome> =>
  runSafely(name, async () => {
    if (!isAlive(setup.lane.worker().pid)) await setup.lane.startWorker();
    return run(setup);
  });
/** The same numbers for the same seed, from 0 to below 1. */
export const createRandom = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** So many of them, spread over the whole list; all where there are no more. */
export const pickSpread = <Thing>(things: Thing[], most: number, random: () => number): Thing[] => {
  if (things.length <= most) return things;
  const stride = things.length / most;
  return Array.from(
    { length: most },
    (_, index) => things[Math.floor((index + random()) * stride)],
  ).filter((thing) => thing !== undefined);
};

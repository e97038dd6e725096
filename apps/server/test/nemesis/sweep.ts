import { isAlive } from '../scenarios/scene.ts';
import type { Lane } from './lane.ts';
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

export type Run<Place> = { name: string; run(place: Place): Promise<Outcome> };

/** Does all runs, each in the first place that is free. */
export const doRuns = async <Place extends { lane: Lane }>(
  runs: Run<Place>[],
  { lanes, after = 0, say }: Pick<SweepOptions, 'lanes' | 'after' | 'say'>,
  open: () => Promise<Place>,
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
    let place: Place | undefined;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, run } = next;
      place ??= await open();
      const outcome = await doRun(place, name, run);
      outcomes.push(outcome);
      for (const violation of outcome.violations) say(`${name}: ${violation}`);
      tell();
      if (outcome.isLaneSpent) {
        await place.lane.close();
        place = undefined;
      }
    }
    await place?.lane.close();
  };
  await Promise.all(Array.from({ length: Math.min(lanes, runs.length) }, workThrough));
  return outcomes;
};

const doRun = <Place extends { lane: Lane }>(
  place: Place,
  name: string,
  run: (place: Place) => Promise<Outcome>,
): Promise<Outcome> =>
  runSafely(name, async () => {
    if (!isAlive(place.lane.worker().pid)) await place.lane.startWorker();
    return run(place);
  });

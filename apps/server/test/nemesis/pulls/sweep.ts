import { chooseKillPoints, type KillPoint, nameOf, neverKilled } from '../lane/kill.ts';
import type { Outcome } from '../outcome.ts';
import { doRuns, type Run, type SweepOptions } from '../sweep.ts';
import { checkPull, type PullRecord } from './checks.ts';
import { executePull, runPull } from './run.ts';
import { openPullSetup, type PullSetup } from './setup.ts';

/** What a pull does when it is left alone: its calls, refreshes of tokens among them, and its time. */
const measurePull = async (setup: PullSetup) => {
  const run = await executePull(setup, neverKilled);
  const violations = await checkPull(setup, run);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  const last = run.readings.at(-1);
  return { calls: setup.proxy.seen(), tookMs: last ? durationOf(last) : 0 };
};

const durationOf = ({ createdAt, completedAt }: PullRecord): number =>
  Date.parse(completedAt ?? createdAt) - Date.parse(createdAt);

/** Every call of a pull of sixty at every moment, and kills at random times. */
export const sweepPulls = async (options: SweepOptions): Promise<Outcome[]> => {
  const first = await openPullSetup();
  const { calls, tookMs } = await measurePull(first);
  options.say(`a pull makes ${calls} calls and takes ${tookMs} ms`);
  const setups = [first];
  const open = async () => setups.shift() ?? (await openPullSetup());
  return doRuns(chooseKillPoints({ calls, tookMs }, options).map(killRun), options, open);
};

const killRun = (point: KillPoint): Run<PullSetup> => ({
  name: nameOf(point),
  run: (setup) => runPull(setup, point),
});

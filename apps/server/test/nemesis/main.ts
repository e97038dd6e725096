/**
 * Kills the worker at every point of its work and checks the result:
 *
 *   npm run nemesis -- restore [--sample 30] [--runs 20] [--seed 1] [--lanes 2]
 *   npm run nemesis -- repair
 *   npm run nemesis -- backup
 *   npm run nemesis -- pull
 *   npm run nemesis -- pull-paused [--runs 20]
 *   npm run nemesis -- protection
 *   npm run nemesis -- property [--runs 100]
 *
 * `--sample` takes a sample of this size instead of all kill points; `--runs` are kills or pauses at random
 * times, or random servers; `--after` leaves out the first so many, to go on with a sweep that was
 * broken off.
 */
import { parseArgs } from 'node:util';
import { removeSharedDataDir } from '../harness/data-dir.ts';
import { stopServices } from '../harness/running-service.ts';
import { sharedSimulator } from '../harness/simulator/start.ts';
import { sweepBackups } from './backups/sweep.ts';
import { closeLanes } from './lane/lane.ts';
import { type Outcome, summarize } from './outcome.ts';
import { sweepProtection } from './protection/sweep.ts';
import { sweepPausedPulls } from './pulls/paused.ts';
import { sweepPulls } from './pulls/sweep.ts';
import { sweepProperty } from './restores/property-sweep.ts';
import { sweepRepairs, sweepRestores } from './restores/sweep.ts';
import type { SweepOptions } from './sweep.ts';

const sweeps: Record<string, (options: SweepOptions) => Promise<Outcome[]>> = {
  restore: sweepRestores,
  repair: sweepRepairs,
  backup: sweepBackups,
  pull: sweepPulls,
  'pull-paused': sweepPausedPulls,
  protection: sweepProtection,
  property: sweepProperty,
};

const readOptions = () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: 'string' },
      runs: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      lanes: { type: 'string', default: '2' },
      after: { type: 'string', default: '0' },
    },
  });
  const [what = ''] = positionals;
  const sweep = sweeps[what];
  if (!sweep) throw new Error(`Say what: ${Object.keys(sweeps).join(' or ')}`);
  const options: SweepOptions = {
    seed: Number(values.seed),
    sample: values.sample === undefined ? undefined : Number(values.sample),
    randomKills: Number(values.runs),
    lanes: Number(values.lanes),
    after: Number(values.after),
    say: (line) => process.stdout.write(`${line}\n`),
  };
  return { what, sweep, options };
};

const printTable = (what: string, outcomes: Outcome[], tookMs: number): boolean => {
  const { runs, kills, resumed, violations } = summarize(outcomes);
  const minutes = (tookMs / 60_000).toFixed(1);
  const lines = [
    `nemesis ${what}`,
    `  runs        ${runs}`,
    `  kills       ${kills}`,
    `  resumed     ${resumed}`,
    `  violations  ${violations.length}`,
    ...violations.map((violation) => `    ${violation}`),
    `  took        ${minutes} min`,
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  return violations.length === 0;
};

const tidyUp = async (): Promise<void> => {
  await closeLanes();
  await stopServices();
  await (await sharedSimulator()).stop();
  removeSharedDataDir();
};

const run = async (): Promise<boolean> => {
  const { what, sweep, options } = readOptions();
  const startedAt = performance.now();
  try {
    return printTable(what, await sweep(options), performance.now() - startedAt);
  } finally {
    await tidyUp();
  }
};

process.on('SIGINT', async () => {
  await tidyUp();
  process.exit(1);
});

run().then(
  (isFine) => process.exit(isFine ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);

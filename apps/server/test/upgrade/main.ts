/**
 * Upgrades a running installation under load from an older version to this one and back:
 *
 *   npm run upgrade [-- --from <Git ref>] [--rest 10] [--pulls 6]
 *
 * `--from` is the last release; `--rest` is how many seconds each version runs alone. It ends with 1 if a
 * request or a job failed, or something was lost.
 */
import { parseArgs } from 'node:util';
import { emptyDatabase, stopTestDatabase } from '../harness/database.ts';
import { stopServices } from '../harness/running-service.ts';
import { checkOut, thisVersion } from './releases.ts';
import { faultsOf, type Report, upgradeUnderLoad } from './scenario.ts';

/** The last version before migrations had steps; a release's tag once there is one. */
const lastRelease = 'd2b6f4de';

const say = (line: string) => process.stdout.write(`${line}\n`);

const table = ({ phases }: Report): string[] => {
  const count = (jobs: Report['phases'][number]['jobs'], kind: string) =>
    jobs.filter((job) => job.kind === kind && job.fault === undefined).length;
  const rows = phases.map(({ name, seconds, requests, failures, jobs }) => [
    ...[name, seconds, requests, [...failures.values()].reduce((sum, one) => sum + one, 0)],
    ...['backup', 'restore', 'pull'].map((kind) => count(jobs, kind)),
    jobs.filter(({ fault }) => fault !== undefined).length,
  ]);
  const sums = [
    'all',
    ...[1, 2, 3, 4, 5, 6, 7].map((at) => rows.reduce((sum, row) => sum + Number(row[at]), 0)),
  ];
  const head = [
    'phase',
    'seconds',
    'requests',
    'failed',
    'backups',
    'restores',
    'pulls',
    'jobs failed',
  ];
  const widths = head.map((title, at) =>
    Math.max(
      ...[title, ...[...rows, sums].map((row) => String(row[at]))].map(({ length }) => length),
    ),
  );
  return [head, ...rows, sums].map((row) =>
    row
      .map((cell, at) =>
        at === 0 ? String(cell).padEnd(widths[0] ?? 0) : String(cell).padStart(widths[at] ?? 0),
      )
      .join('  '),
  );
};

const run = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      from: { type: 'string', default: lastRelease },
      rest: { type: 'string', default: '10' },
      pulls: { type: 'string', default: '6' },
    },
  });
  const report = await upgradeUnderLoad({
    ...{ databaseUrl: await emptyDatabase(), from: await checkOut(values.from), to: thisVersion },
    ...{ restMs: Number(values.rest) * 1000, pulls: Number(values.pulls), membersOfEach: 60, say },
  });
  const faults = faultsOf(report);
  const lines = [...table(report), '', ...report.notes, '', `violations  ${faults.length}`];
  for (const line of ['', ...lines, ...faults.map((fault) => `  ${fault}`)]) say(line);
  return faults.length === 0;
};

let isFine = false;
try {
  isFine = await run();
} finally {
  await stopServices();
  await stopTestDatabase();
}
process.exit(isFine ? 0 : 1);

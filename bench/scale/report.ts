import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import type { JobStatement, TimedJob } from './jobs.ts';
import type { Timed } from './lists.ts';

const goal = 3;
/** What takes less is compared as if it took this: below it the machine's own unrest is larger. */
const leastMs = 0.3;

const leastPages = 20;

type Cost = { ms: number; pages: number };
type Ratios = { byTime: number; byPages: number };

const ratiosOf = (small: Cost, large: Cost): Ratios => ({
  byTime: Math.max(large.ms, leastMs) / Math.max(small.ms, leastMs),
  byPages: Math.max(large.pages, leastPages) / Math.max(small.pages, leastPages),
});

const scansIn = (scanned: readonly string[], largeTables: readonly string[]): string =>
  [...new Set(scanned)].filter((table) => largeTables.includes(table)).join(' ');

const head = ['', 'small', 'large', 'ratio', 'pages', 'pages', 'ratio'];

const cells = (small: Cost, large: Cost, { byTime, byPages }: Ratios): string[] => [
  ...[milliseconds(small.ms), milliseconds(large.ms), byTime.toFixed(2)],
  ...[small.pages.toFixed(0), large.pages.toFixed(0), byPages.toFixed(2)],
];

export const reportLists = (
  small: readonly Timed[],
  large: readonly Timed[],
  largeTables: readonly string[],
): void => {
  const rows = large.flatMap((mine) => {
    const other = small.find(({ name }) => name === mine.name);
    return other ? [{ mine, other, ...ratiosOf(other, mine) }] : [];
  });
  printTable(
    [...head, 'scans'],
    rows.map(({ mine, other, ...ratios }) => [
      ...[mine.name, ...cells(other, mine, ratios)],
      scansIn(mine.scanned, largeTables),
    ]),
  );
  conclude(rows);
};

export const reportJobs = (
  small: readonly TimedJob[],
  large: readonly TimedJob[],
  largeTables: readonly string[],
): void => {
  const rows = large.flatMap((job) => {
    const other = small.find(({ name }) => name === job.name)?.statements ?? [];
    const worst = worstOf(other, job.statements);
    return worst ? [{ ...worst, name: job.name, all: job.statements }] : [];
  });
  printTable(
    [...head, 'rows', 'scans'],
    rows.map(({ name, mine, other, all, ...ratios }) => [
      ...[name, ...cells(other, mine, ratios)],
      `${other.rows.toFixed(0)} / ${mine.rows.toFixed(0)}`,
      scansIn(
        all.flatMap(({ scanned }) => scanned),
        largeTables,
      ),
    ]),
  );
  for (const { name, mine } of rows.filter(isSlower)) {
    print(`  ${name}: ${mine.statement.replace(/\s+/g, ' ').slice(0, 600)}`);
  }
  conclude(rows);
};

/** A batch that is full at the large size may be nearly empty at the small one: that much more is no growth. */
const moreRowsOf = (small: JobStatement, large: JobStatement): number =>
  Math.max(1, large.rows / Math.max(1, small.rows));

/** Of the statements that ran at both sizes, the one that costs most, for each row, beside what it did. */
const worstOf = (small: readonly JobStatement[], large: readonly JobStatement[]) =>
  large
    .flatMap((mine) => {
      const other = small.find(({ statement }) => statement === mine.statement);
      if (!other) return [];
      const { byTime, byPages } = ratiosOf(other, mine);
      const more = moreRowsOf(other, mine);
      return [{ mine, other, byTime: byTime / more, byPages: byPages / more }];
    })
    .toSorted((one, other) => worseOf(other) - worseOf(one))[0];

const worseOf = ({ byTime, byPages }: Ratios): number => Math.max(byTime, byPages);

const isSlower = (ratios: Ratios): boolean => worseOf(ratios) > goal;

const conclude = (rows: readonly Ratios[]): void => {
  const byTime = rows.filter((row) => row.byTime > goal).length;
  const byPages = rows.filter((row) => row.byPages > goal).length;
  print(`  of ${rows.length}, more than ${goal} times as long: ${byTime}; more than ${goal} times as \
many pages: ${byPages}; goal 0: ${verdict(byTime === 0)}\n`);
};

import type { TableSize } from './queries.ts';
import type { Sample, Series } from './samples.ts';

export type Growth = { name: string; from: number; to: number; unit: string; isFlat: boolean };

/**
 * Compares the medians of the second and the last quarter: in the first one the runtime compiles and its
 * heap finds its size, and single samples say little about a heap that is collected.
 */
const mostGrowth = 1.1;
/** What a few more open connections make. */
const slack = 8;

export const growthOf = (series: Series): Growth[] =>
  [...series].map(([name, samples]) => {
    const quarter = Math.floor(samples.length / 4);
    const from = medianOf(samples.slice(quarter, 2 * quarter));
    const to = medianOf(samples.slice(-quarter));
    const unit = name.endsWith('MiB') ? 'MiB' : '';
    return {
      name: name.replace(', MiB', ', memory'),
      from,
      to,
      unit,
      isFlat: to <= from * mostGrowth + slack,
    };
  });

const medianOf = (samples: readonly Sample[]): number => {
  const values = samples.map(({ value }) => value).toSorted((one, other) => one - other);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
};

/** Tables that keep what happened, for as long as the product says. */
const histories = [
  ...['audit_entries', 'alerts', 'billing_events', 'idempotent_answers', 'pgboss.job'],
  ...['verification_', 'pending_verifications', 'pull_members', 'pulls'],
  ...['restores', 'restore_steps', 'restored_ids'],
];

const freeRows = 300;
const freeBytes = 2 * 2 ** 20;
/** Of a table's space per row, between two vacuums. */
const mostSpacePerRow = 1.6;

export type TableGrowth = { name: string; from: TableSize; to: TableSize; fault: string };

/** Rows may be added only to histories, and no table may take more space than its rows need. */
export const tableGrowthOf = (before: TableSize[], after: TableSize[]): TableGrowth[] =>
  after.flatMap((to) => {
    const { name } = to;
    const from = before.find((one) => one.name === name);
    if (!from) return [];
    const isHistory = histories.some((one) => name.startsWith(one));
    const grewInRows = !isHistory && to.rows > from.rows * mostGrowth + freeRows;
    const rowsRatio = Math.max(1, to.rows / Math.max(1, from.rows));
    const isBloated = to.bytes > from.bytes * rowsRatio * mostSpacePerRow + freeBytes;
    const fault = [grewInRows && 'more rows', isBloated && 'more space'].filter(Boolean).join(', ');
    return [{ name, from, to, fault }];
  });

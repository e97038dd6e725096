import { expect, test } from 'bun:test';
import { groupByDay } from './days.ts';

test('records are grouped by the day on which they were made', () => {
  const now = new Date(2026, 10, 17, 9);
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();
  const groups = groupByDay([1, 8, 10, 30, 50].map(hoursAgo), (at) => at, now);
  expect(groups.map(({ rows }) => rows.length)).toEqual([2, 2, 1]);
  expect(groups.slice(0, 2).map(({ day }) => day)).toEqual(['Today', 'Yesterday']);
  expect(groups[2]?.day).toContain('15');
});

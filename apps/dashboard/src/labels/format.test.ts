import { expect, test } from 'bun:test';
import { formatAgo } from './format.ts';

const now = Date.parse('2026-11-17T12:00:00.000Z');
const daysAgo = (days: number): string => new Date(now - days * 86_400_000).toISOString();

test('times that are long ago are told in months and years', () => {
  expect(formatAgo(daysAgo(0), now)).toBe('just now');
  expect(formatAgo(daysAgo(45), now)).toBe('45 days ago');
  expect(formatAgo(daysAgo(100), now)).toBe('3 months ago');
  expect(formatAgo(daysAgo(3979), now)).toBe('11 years ago');
});

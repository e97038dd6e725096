import { expect, test } from 'bun:test';
import { dayText, endOfDay } from './expiry-day.ts';

test('a day is over one second before the next begins, where the reader is', () => {
  const end = new Date(endOfDay('2026-03-05') ?? '');
  expect(dayText(end)).toBe('2026-03-05');
  expect(dayText(new Date(end.getTime() + 1000))).toBe('2026-03-06');
});

test.each(['', 'soon', '2026', '2026-00-01'])('%p is no day', (day) => {
  expect(endOfDay(day)).toBeNull();
});

import { expect, test } from 'bun:test';
import { cooldownEnd } from './pull-words.ts';

const minutes = 60_000;
const now = Date.parse('2026-03-01T12:00:00.000Z');
const pull = (minutesAgo: number, changes: object = {}) => ({
  status: 'completed' as const,
  processed: 10,
  createdAt: new Date(now - minutesAgo * minutes).toISOString(),
  ...changes,
});

test('the cooldown runs from the newest pull', () => {
  expect(cooldownEnd([pull(20), pull(50)], 30 * minutes, now)).toBe(now + 10 * minutes);
});

test('a pull that tried nobody gave its cooldown back', () => {
  const untried = pull(1, { status: 'failed', processed: 0 });
  expect(cooldownEnd([untried, pull(50)], 30 * minutes, now)).toBeUndefined();
  expect(cooldownEnd([{ ...untried, status: 'running' }], 30 * minutes, now)).toBe(
    now + 29 * minutes,
  );
});

test('there is none without a pull, without a cooldown, or when it is over', () => {
  expect(cooldownEnd([], 30 * minutes, now)).toBeUndefined();
  expect(cooldownEnd([pull(0)], 0, now)).toBeUndefined();
  expect(cooldownEnd([pull(30)], 30 * minutes, now)).toBeUndefined();
});

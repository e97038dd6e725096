import { expect, test } from 'bun:test';
import { applicationOf, dropReplayed, fairShare, identifyWaitMs, pauseAfter } from './rules.ts';

const access = { total: 1000, remaining: 1000, resetsInMs: 60_000, atOnce: 1 };
const none = { inDay: 0, inWindow: 0, oldestInDayMs: 0 };
const hourMs = 60 * 60 * 1000;

test.each([
  ['the first may be sent', access, none, 0],
  ['the second waits for the window', access, { ...none, inDay: 1, inWindow: 1 }, 5500],
  [
    'as many as the platform allows at once may be',
    { ...access, atOnce: 2 },
    { ...none, inWindow: 1 },
    0,
  ],
  ['nine tenths of the limit may be used', access, { ...none, inDay: 899 }, 0],
  [
    'beyond them the oldest has to become a day old',
    access,
    { ...none, inDay: 900, oldestInDayMs: 24 * hourMs - 5000 },
    5000,
  ],
  ['or it is asked again in ten minutes', access, { ...none, inDay: 900 }, 600_000],
  ["the platform's own count holds too", { ...access, remaining: 100 }, none, 60_000],
] as const)('of identifies, %s', (_, limits, counts, waitMs) => {
  expect(identifyWaitMs(limits, counts, 5500)).toBe(waitMs);
});

const dispatch = (id: string, sequence: number) => ({
  ...{ session: { id, resumeUrl: 'ws://x/' }, sequence, events: [] },
});

test('of a replay only what is new is left, and a new session begins at its own first number', () => {
  const stored = { sessionId: 'a', sequence: 3 };
  const given = [2, 3, 4, 4, 5].map((sequence) => dispatch('a', sequence));
  const fresh = dropReplayed(stored, [...given, dispatch('b', 1), dispatch('b', 2)]);
  expect(fresh.map(({ session, sequence }) => `${session.id}${sequence}`)).toEqual([
    ...['a4', 'a5', 'b1', 'b2'],
  ]);
});

test('shares of all processes together are enough for all bots, and none has two more than another', () => {
  for (const [bots, processes] of [
    [0, 1],
    [5, 2],
    [200, 3],
    [1, 4],
  ] as const) {
    const share = fairShare(bots, processes);
    expect(share * processes).toBeGreaterThanOrEqual(bots);
    expect(share * processes - bots).toBeLessThan(processes);
  }
});

test('pauses grow with the failures, up to five minutes', () => {
  const pauses = [0, 1, 2, 5, 20].map((failures) =>
    pauseAfter('cut', failures, { random: 0.5, pauseMs: 1000 }),
  );
  expect(pauses).toEqual([500, 1500, 3000, 24_000, 300_000]);
  const afterEnd = pauseAfter('sessionOver', 0, { random: 0, pauseMs: 1000 });
  expect(afterEnd).toBe(1000);
});

test('the application is read from the token, or is what the owner says', () => {
  expect(applicationOf(`${btoa('123456789012345678')}.x.y`, '42')).toBe('123456789012345678');
  for (const token of ['', 'nonsense', 'a.b.c']) expect(applicationOf(token, '42')).toBe('42');
});

import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { steadyNow, watchClockSteps } from './clock.ts';
import { createLog } from './log.ts';

afterEach(() => {
  setSystemTime();
});

test('a step of the clock, forward or back, is logged once, and drift is not', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  let wallMs = 1_000_000_000;
  let monotonicMs = 0;
  const pass = (ms: number, stepMs = 0) => {
    monotonicMs += ms;
    wallMs += ms + stepMs;
    watch.check();
  };
  const watch = watchClockSteps(log, { wallMs: () => wallMs, monotonicMs: () => monotonicMs });
  for (let second = 0; second < 60; second++) pass(1000, 5);
  expect(lines).toEqual([]);
  pass(1000, -3_600_000);
  for (let second = 0; second < 10; second++) pass(1000);
  pass(1000, 7_200_000);
  pass(1000);
  watch.stop();
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries).toMatchObject([
    { level: 'warn', seconds: -3600, msg: expect.stringContaining('set back') },
    { level: 'warn', seconds: 7200, msg: expect.stringContaining('set forward') },
  ]);
});

test('a step of the clock does not change how long a wait takes', () => {
  const before = steadyNow();
  setSystemTime(new Date(Date.now() - 3_600_000));
  const after = steadyNow();
  expect(after).toBeGreaterThanOrEqual(before);
  expect(after - before).toBeLessThan(60_000);
});

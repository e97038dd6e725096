import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { createLog } from './log.ts';
import { steadyNow, watchForSteps } from './steady-clock.ts';

afterEach(() => {
  setSystemTime();
});

test('a clock that is set forward or back is said once each time, and one that drifts is not', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  let wallMs = 1_000_000_000;
  let monotonicMs = 0;
  const pass = (ms: number, stepMs = 0) => {
    monotonicMs += ms;
    wallMs += ms + stepMs;
    watch.look();
  };
  const watch = watchForSteps(log, { wallMs: () => wallMs, monotonicMs: () => monotonicMs });
  for (let second = 0; second < 60; second++) pass(1000, 5);
  expect(lines).toEqual([]);
  pass(1000, -3_600_000);
  for (let second = 0; second < 10; second++) pass(1000);
  pass(1000, 7_200_000);
  pass(1000);
  watch.stop();
  const said = lines.map((line) => JSON.parse(line));
  expect(said).toMatchObject([
    { level: 'warn', seconds: -3600, msg: expect.stringContaining('set back') },
    { level: 'warn', seconds: 7200, msg: expect.stringContaining('set forward') },
  ]);
});

test('waits are counted as if nobody had set the clock', () => {
  const before = steadyNow();
  setSystemTime(new Date(Date.now() - 3_600_000));
  const after = steadyNow();
  expect(after).toBeGreaterThanOrEqual(before);
  expect(after - before).toBeLessThan(60_000);
});

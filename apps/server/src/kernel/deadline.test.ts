import { describe, expect, test } from 'bun:test';
import {
  type Deadline,
  DeadlinePassed,
  guardSignal,
  mayStillAct,
  withinDeadline,
} from './deadline.ts';

const times = { ms: 50, lastMs: 1000 };
const never = () => new Promise<never>(() => undefined);

describe('a deadline', () => {
  test('returns the result of work that is in time', async () => {
    expect(await withinDeadline(times, async () => 'done')).toBe('done');
  });

  test('stops waiting for late work and refuses to extend its time', async () => {
    const asked: Deadline[] = [];
    const late = withinDeadline(times, (deadline) => {
      asked.push(deadline);
      return never();
    });
    expect(await late.catch((error) => error)).toBeInstanceOf(DeadlinePassed);
    expect(asked.map((deadline) => deadline.isPassed())).toEqual([true]);
    expect(asked.map((deadline) => deadline.tryExtend())).toEqual([false]);
  });

  test('grants no time to work that only asks whether it has passed', async () => {
    const asking = withinDeadline(times, (deadline) => {
      expect(deadline.isPassed()).toBe(false);
      return never();
    });
    expect(await asking.catch((error) => error)).toBeInstanceOf(DeadlinePassed);
  });

  test('lets work that extended in time finish, and returns its outcome', async () => {
    const committed = withinDeadline(times, async (deadline) => {
      expect(deadline.tryExtend()).toBe(true);
      await Bun.sleep(times.ms * 3);
      return 'committed';
    });
    expect(await committed).toBe('committed');
  });

  test('does not wait longer than the extension', async () => {
    const stuck = withinDeadline({ ms: 20, lastMs: 60 }, (deadline) => {
      deadline.tryExtend();
      return never();
    });
    expect(await stuck.catch((error) => error)).toBeInstanceOf(DeadlinePassed);
  });

  test('passes a failure of the work on', async () => {
    const failing = withinDeadline(times, () => Promise.reject(new Error('no')));
    expect(await failing.catch((error) => error.message)).toBe('no');
  });
});

test('without a signal, or with an unguarded one, work may act until the abort', () => {
  expect(mayStillAct(undefined)).toBe(true);
  const bare = new AbortController();
  expect(mayStillAct(bare.signal)).toBe(true);
  bare.abort();
  expect(mayStillAct(bare.signal)).toBe(false);
});

test('a guard is called every time, and a second signal can delegate to the guard of the first', () => {
  let isHeld = true;
  const outer = guardSignal(new AbortController().signal, () => isHeld);
  const inner = guardSignal(new AbortController().signal, () => mayStillAct(outer));
  expect([mayStillAct(outer), mayStillAct(inner)]).toEqual([true, true]);
  isHeld = false;
  expect([mayStillAct(outer), mayStillAct(inner)]).toEqual([false, false]);
});

import { describe, expect, test } from 'bun:test';
import { type Deadline, DeadlinePassed, withinDeadline } from './deadline.ts';

const times = { ms: 50, lastMs: 1000 };
const never = () => new Promise<never>(() => undefined);

describe('a deadline', () => {
  test('gives the result of work that is in time', async () => {
    expect(await withinDeadline(times, async () => 'done')).toBe('done');
  });

  test('stops waiting for work that is not, and tells it that it may not finish', async () => {
    const asked: Deadline[] = [];
    const late = withinDeadline(times, (deadline) => {
      asked.push(deadline);
      return never();
    });
    expect(await late.catch((error) => error)).toBeInstanceOf(DeadlinePassed);
    expect(asked.map((deadline) => deadline.isPassed())).toEqual([true]);
    expect(asked.map((deadline) => deadline.isKept())).toEqual([false]);
  });

  test('gives no more time to work that only asks whether it has passed', async () => {
    const asking = withinDeadline(times, (deadline) => {
      expect(deadline.isPassed()).toBe(false);
      return never();
    });
    expect(await asking.catch((error) => error)).toBeInstanceOf(DeadlinePassed);
  });

  test('lets work that asked in time finish, and its outcome is the answer', async () => {
    const committed = withinDeadline(times, async (deadline) => {
      expect(deadline.isKept()).toBe(true);
      await Bun.sleep(times.ms * 3);
      return 'committed';
    });
    expect(await committed).toBe('committed');
  });

  test('does not wait for ever even then', async () => {
    const stuck = withinDeadline({ ms: 20, lastMs: 60 }, (deadline) => {
      deadline.isKept();
      return never();
    });
    expect(await stuck.catch((error) => error)).toBeInstanceOf(DeadlinePassed);
  });

  test('passes a failure of the work on', async () => {
    const failing = withinDeadline(times, () => Promise.reject(new Error('no')));
    expect(await failing.catch((error) => error.message)).toBe('no');
  });
});

import { describe, expect, test } from 'bun:test';
import { createAccountSemaphore } from './account-concurrency.ts';

const heldOpen = () => {
  const gate = Promise.withResolvers<void>();
  return { work: () => gate.promise, open: gate.resolve };
};

describe('the changes of one account', () => {
  test('run two at a time, and all of them run', async () => {
    const limited = createAccountSemaphore();
    let running = 0;
    let most = 0;
    const change = async () => {
      most = Math.max(most, ++running);
      await Bun.sleep(1);
      running--;
      return 'done';
    };
    const all = await Promise.all(Array.from({ length: 50 }, () => limited('one', change)));
    expect(all).toEqual(Array(50).fill('done'));
    expect(most).toBe(2);
  });

  test('do not delay those of another', async () => {
    const limited = createAccountSemaphore();
    const slow = heldOpen();
    const flood = Array.from({ length: 20 }, () => limited('one', slow.work));
    expect(await limited('another', async () => 'at once')).toBe('at once');
    slow.open();
    await Promise.all(flood);
  });

  test('get 429 when no slot becomes free in time', async () => {
    const limited = createAccountSemaphore();
    const slow = heldOpen();
    const taken = [limited('one', slow.work), limited('one', slow.work)];
    const late = limited('one', async () => 'too late');
    expect(await late.catch((error) => [error.status, error.headers['Retry-After']])).toEqual([
      429,
      '1',
    ]);
    slow.open();
    await Promise.all(taken);
    expect(await limited('one', async () => 'again')).toBe('again');
  });

  test('release their slot when they fail', async () => {
    const limited = createAccountSemaphore();
    const failing = () => Promise.reject(new Error('no'));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => limited('one', failing)),
    );
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await limited('one', async () => 'fine')).toBe('fine');
  });
});

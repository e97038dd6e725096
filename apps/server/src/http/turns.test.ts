import { describe, expect, test } from 'bun:test';
import { createTurns } from './turns.ts';

const heldOpen = () => {
  const gate = Promise.withResolvers<void>();
  return { work: () => gate.promise, open: gate.resolve };
};

describe('the changes of one account', () => {
  test('run two at a time, and each has its turn', async () => {
    const inTurn = createTurns();
    let running = 0;
    let most = 0;
    const change = async () => {
      most = Math.max(most, ++running);
      await Bun.sleep(1);
      running--;
      return 'done';
    };
    const all = await Promise.all(Array.from({ length: 50 }, () => inTurn('one', change)));
    expect(all).toEqual(Array(50).fill('done'));
    expect(most).toBe(2);
  });

  test('do not hold up those of another', async () => {
    const inTurn = createTurns();
    const slow = heldOpen();
    const flood = Array.from({ length: 20 }, () => inTurn('one', slow.work));
    expect(await inTurn('another', async () => 'at once')).toBe('at once');
    slow.open();
    await Promise.all(flood);
  });

  test('are asked to come back when their turn does not come', async () => {
    const inTurn = createTurns();
    const slow = heldOpen();
    const taken = [inTurn('one', slow.work), inTurn('one', slow.work)];
    const late = inTurn('one', async () => 'too late');
    expect(await late.catch((error) => [error.status, error.headers['Retry-After']])).toEqual([
      429,
      '1',
    ]);
    slow.open();
    await Promise.all(taken);
    expect(await inTurn('one', async () => 'again')).toBe('again');
  });

  test('give their turn back when they fail', async () => {
    const inTurn = createTurns();
    const failing = () => Promise.reject(new Error('no'));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => inTurn('one', failing)),
    );
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await inTurn('one', async () => 'fine')).toBe('fine');
  });
});

import { expect, test } from 'bun:test';
import { createPacer } from './rest.ts';

test('no window holds more turns than allowed, wherever it starts', async () => {
  const [limit, perMs] = [5, 100];
  const waitForTurn = createPacer(limit, perMs);
  const turns: number[] = [];
  const take = async () => {
    await waitForTurn();
    turns.push(performance.now());
  };
  await Promise.all(Array.from({ length: 12 }, take));
  await Bun.sleep(30);
  await Promise.all(Array.from({ length: 6 }, take));
  const tooEarly = turns.flatMap((at, index) => {
    const earlier = turns[index - limit];
    // Noted a moment after it was granted: the difference may be short by that.
    return earlier !== undefined && at - earlier < perMs - 5 ? [at - earlier] : [];
  });
  expect(tooEarly).toEqual([]);
});

test('urgent calls go before all others that wait, and each kind in its order', async () => {
  const waitForTurn = createPacer(2, 20);
  const order: string[] = [];
  const take = async (name: string, isUrgent: boolean) => {
    await waitForTurn({ isUrgent });
    order.push(name);
  };
  const usual = ['a', 'b', 'c', 'd', 'e'].map((name) => take(name, false));
  const urgent = ['1', '2', '3'].map((name) => take(name, true));
  await Promise.all([...usual, ...urgent]);
  expect(order).toEqual(['a', 'b', '1', '2', '3', 'c', 'd', 'e']);
});

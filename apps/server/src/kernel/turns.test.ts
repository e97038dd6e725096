import { expect, test } from 'bun:test';
import { giveWay, mapInTurns } from './turns.ts';

const burn = (ms: number) => {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
};

test('of several long works one has a turn between two looks at the loop', async () => {
  let looks = 0;
  let isEnded = false;
  const look = () => {
    looks += 1;
    if (!isEnded) setImmediate(look);
  };
  setImmediate(look);
  const seenAt: number[] = [];
  // Each entry takes more than a turn.
  const work = () =>
    mapInTurns([1, 2, 3], () => {
      burn(6);
      seenAt.push(looks);
    });
  await Promise.all([work(), work(), work()]);
  isEnded = true;
  expect(seenAt).toHaveLength(9);
  expect(new Set(seenAt).size).toBe(9);
});

test('a work whose turn lasts does not wait, and its results keep their order', async () => {
  await giveWay();
  expect(giveWay()).toBeUndefined();
  expect(await mapInTurns(['a', 'b'], (item, at) => `${item}${at}`)).toEqual(['a0', 'b1']);
});

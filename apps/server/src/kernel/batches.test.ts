import { expect, test } from 'bun:test';
import { createBatches } from './batches.ts';

type Flight = { batch: string[]; answer(): void; fail(): void };

/** Each flight stays under way until it is answered or fails. */
const reader = () => {
  const flights: Flight[] = [];
  const read = createBatches(
    (name: string) => name,
    (batch) =>
      new Promise<string[]>((resolve, reject) => {
        const answer = () => resolve(batch.map((name) => `${name}!`));
        flights.push({ batch, answer, fail: () => reject(new Error('refused')) });
      }),
  );
  return { read, flights, batches: () => flights.map(({ batch }) => batch) };
};
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('reads of one moment go together, and each gets its own answer', async () => {
  const { read, flights, batches } = reader();
  const answers = Promise.all(['a', 'b', 'c'].map(read));
  await turn();
  expect(batches()).toEqual([['a', 'b', 'c']]);
  flights[0]?.answer();
  expect(await answers).toEqual(['a!', 'b!', 'c!']);
});

test('the same read is asked once by all that want it before it is sent, and anew by those after', async () => {
  const { read, flights, batches } = reader();
  const early = [read('a'), read('a')];
  await turn();
  const late = read('a');
  await turn();
  expect(batches()).toEqual([['a'], ['a']]);
  flights[0]?.answer();
  expect(await Promise.all(early)).toEqual(['a!', 'a!']);
  flights[1]?.answer();
  expect(await late).toBe('a!');
});

test('while two batches are under way the others wait together for the end of one', async () => {
  const { read, flights, batches } = reader();
  for (const name of ['a', 'b', 'c', 'd']) {
    read(name);
    await turn();
  }
  expect(batches()).toEqual([['a'], ['b']]);
  flights[0]?.answer();
  await turn();
  await turn();
  expect(batches()).toEqual([['a'], ['b'], ['c', 'd']]);
});

test('batches that are not answered do not hold up the next reads for long', async () => {
  const { read, flights, batches } = reader();
  for (const name of ['a', 'b']) {
    read(name);
    await turn();
  }
  const third = read('c');
  while (batches().length < 3) await Bun.sleep(5);
  flights[2]?.answer();
  expect(await third).toBe('c!');
});

test('a batch that fails is asked one by one, so that only the read to blame fails', async () => {
  const { read, flights, batches } = reader();
  const outcomes = Promise.allSettled(['a', 'bad', 'c'].map(read));
  await turn();
  flights[0]?.fail();
  await turn();
  expect(batches().slice(1)).toEqual([['a'], ['bad'], ['c']]);
  for (const { batch, answer, fail } of flights.slice(1)) batch[0] === 'bad' ? fail() : answer();
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
});

test('a batch has at most 64 reads', async () => {
  const { read, batches } = reader();
  for (let i = 0; i < 100; i++) read(String(i));
  await turn();
  await turn();
  expect(batches().map(({ length }) => length)).toEqual([64, 36]);
});

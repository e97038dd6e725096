import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMachineCounts } from './machine-counts.ts';

const windowSeconds = 10;
const slotBytes = 8;
const groupBytes = 16 * slotBytes;

type Clock = { ms: number };

/** Two processes over one memory, each with a clock of its own. */
const openTwo = (bytes = 64 * groupBytes) => {
  const memory = new Uint8Array(bytes);
  const clocks: [Clock, Clock] = [{ ms: 1_000_000 }, { ms: 1_000_000 }];
  const [here, there] = clocks.map((clock) =>
    createMachineCounts({ memory, seed: 7n, windowSeconds, now: () => clock.ms }),
  );
  if (!here || !there) throw new Error('There are two');
  return { memory, here, there, clocks };
};

const consumed = ({ count }: { count(id: string): { consumedPoints: number } | undefined }) =>
  count('key')?.consumedPoints;

test('processes that share the memory share the count of an id, and of no other', () => {
  const { here, there } = openTwo();
  expect([consumed(here), consumed(there), consumed(here)]).toEqual([1, 2, 3]);
  expect(there.count('another')).toEqual({ consumedPoints: 1, msBeforeNext: 10_000 });
});

test('a window ends ten seconds after its first request, for all processes', () => {
  const { here, there, clocks } = openTwo();
  consumed(here);
  clocks[0].ms += 9_990;
  clocks[1].ms += 9_990;
  expect(there.count('key')).toEqual({ consumedPoints: 2, msBeforeNext: 10 });
  clocks[0].ms += 10;
  clocks[1].ms += 10;
  expect(there.count('key')).toEqual({ consumedPoints: 1, msBeforeNext: 10_000 });
  expect(consumed(here)).toBe(2);
});

test('a window of a minute lasts a minute, and ends for good', () => {
  const memory = new Uint8Array(groupBytes);
  let nowMs = 1_000_000;
  const { count, sweep } = createMachineCounts({
    ...{ memory, seed: 7n, windowSeconds: 60, now: () => nowMs },
  });
  expect(count('address')).toEqual({ consumedPoints: 1, msBeforeNext: 60_000 });
  nowMs += 59_990;
  sweep();
  expect(count('address')).toEqual({ consumedPoints: 2, msBeforeNext: 10 });
  nowMs += 10;
  expect(count('address')).toEqual({ consumedPoints: 1, msBeforeNext: 60_000 });
});

test('a process whose clock is a little behind begins no window anew', () => {
  const { here, there, clocks } = openTwo();
  clocks[1].ms -= 900;
  for (let sent = 1; sent <= 10; sent += 2) {
    expect(consumed(here)).toBe(sent);
    expect(there.count('key')).toEqual({ consumedPoints: sent + 1, msBeforeNext: 10_000 });
  }
});

test('windows that ended make room for others, and are still ended eleven minutes later', () => {
  const { here, clocks } = openTwo(groupBytes);
  const count = (from: number) =>
    Array.from({ length: 16 }, (_, at) => here.count(`id ${from + at}`)?.consumedPoints);
  expect(new Set(count(0))).toEqual(new Set([1]));
  expect(here.count('one more')).toBeUndefined();
  expect(here.count('id 3')?.consumedPoints).toBe(2);
  clocks[0].ms += 10_000;
  expect(new Set(count(16))).toEqual(new Set([1]));
  clocks[0].ms += 10_000;
  here.sweep();
  clocks[0].ms += 65_536 * 10 - 11_000;
  expect(here.count('id 16')?.consumedPoints).toBe(1);
});

test('a window that two processes begin at the same moment is one, wherever they found room', () => {
  const memory = new Uint8Array(groupBytes);
  let behindMs = 10_000;
  const behind = createMachineCounts({ memory, seed: 7n, windowSeconds, now: () => behindMs });
  behind.count('old');
  behindMs = 19_900;
  // For this one the window of the old id, in the first slot, is over.
  let asked = 0;
  const ahead = createMachineCounts({
    memory,
    ...{ seed: 7n, windowSeconds },
    now() {
      // It has found the id nowhere, and is about to begin.
      if (++asked === 2) expect(consumed(behind)).toBe(1);
      return 20_100;
    },
  });
  expect(consumed(ahead)).toBe(2);
  expect(asked).toBeGreaterThan(2);
  expect(consumed(behind)).toBe(3);
});

test('no count is lost while several processes count one id at once', async () => {
  const file = join(tmpdir(), `holdfast-counts-${randomUUID()}`);
  const fd = openSync(file, 'wx+');
  ftruncateSync(fd, groupBytes);
  const each = 20_000;
  const program = `
    const { createMachineCounts } = await import(${JSON.stringify(join(import.meta.dir, 'machine-counts.ts'))});
    const memory = Bun.mmap(${JSON.stringify(file)}, { shared: true });
    const { count } = createMachineCounts({ memory, seed: 7n, windowSeconds: 10, now: () => 5000 });
    const seen = new Set();
    for (let sent = 0; sent < ${each}; sent++) seen.add(count('key').consumedPoints);
    console.log(JSON.stringify([...seen]));`;
  const outputs = await Promise.all(
    [0, 1, 2].map(() =>
      new Response(
        Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' }).stdout,
      ).json(),
    ),
  );
  unlinkSync(file);
  closeSync(fd);
  // Each request was told another number: nobody was let in on the count of somebody else.
  expect(new Set(outputs.flat()).size).toBe(3 * each);
});

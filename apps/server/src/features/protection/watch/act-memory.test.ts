import { expect, test } from 'bun:test';
import { createActMemory } from './act-memory.ts';

const minuteMs = 60_000;

/** What is remembered after an act at each of these minutes, by its minute. */
const rememberedAfter = (memory: ReturnType<typeof createActMemory>, ...minutes: number[]) => {
  for (const minute of minutes) {
    const act = { executorId: `${minute % 2}`, kind: 'edits' as const, atMs: minute * minuteMs };
    memory.add(`${minute}`, act);
  }
  return memory.all().map(({ atMs }) => atMs / minuteMs);
};

test('acts are remembered for an hour, each once', () => {
  expect(rememberedAfter(createActMemory(), 0, 30, 30, 60)).toEqual([0, 30, 60]);
  expect(rememberedAfter(createActMemory(), 0, 30, 61)).toEqual([30, 61]);
});

test('acts that belong to an incident or are harmless are forgotten, and not taken up again', () => {
  const memory = createActMemory();
  memory.know(['1']);
  expect(rememberedAfter(memory, 1, 2, 3, 4)).toEqual([2, 3, 4]);
  memory.forget(({ atMs }) => atMs === 4 * minuteMs);
  memory.release('1');
  expect(rememberedAfter(memory, 3, 4)).toEqual([2]);
});

test('however many acts come, the newest 3,000 are remembered', () => {
  const memory = createActMemory();
  for (let nth = 0; nth < 3005; nth++) {
    memory.add(`${nth}`, { executorId: '1', kind: 'edits', atMs: nth });
  }
  expect(memory.all().map(({ atMs }) => atMs)).toEqual(
    Array.from({ length: 3000 }, (_, index) => index + 5),
  );
});

import { expect, test } from 'bun:test';
import { createEventStream, defaultStreamTimes } from './event-stream.ts';

const times = { ...defaultStreamTimes, eventEveryMs: 0 };

const open = (changes: Partial<typeof times> = {}) => {
  let ends = 0;
  const stream = createEventStream({ ...times, ...changes }, () => ends++);
  return { stream, reader: () => stream.body.getReader(), ends: () => ends };
};

const textOf = ({ value }: { value?: Uint8Array }) => new TextDecoder().decode(value);

test('a client that takes nothing between two heartbeats is given up', async () => {
  const { stream, ends } = open();
  stream.beat();
  expect(ends()).toBe(0);
  stream.beat();
  expect(ends()).toBe(1);
  stream.end();
  expect(ends()).toBe(1);
});

test('what changes while a client takes nothing is one event, whatever its number', async () => {
  const { stream, reader } = open();
  const reading = reader();
  expect(textOf(await reading.read())).toMatch(/^retry: \d+\n\n$/);
  for (let changed = 0; changed < 30; changed++) stream.add(`backups:${changed % 3}`);
  const event = textOf(await reading.read());
  expect(event).toBe('data: {"topics":["backups:0","backups:1","backups:2"]}\n\n');
});

test('too many topics for one event become all of them', async () => {
  const { stream, reader } = open();
  const reading = reader();
  await reading.read();
  for (let changed = 0; changed < 500; changed++) stream.add(`backups:${changed}`);
  expect(textOf(await reading.read())).toBe('data: {"topics":["all"]}\n\n');
});

test('a stream ends by itself after its time, so that the browser opens another', async () => {
  const { stream, reader, ends } = open({ lifeMs: 0 });
  const reading = reader();
  await reading.read();
  stream.beat();
  expect((await reading.read()).done).toBe(true);
  expect(ends()).toBe(1);
});

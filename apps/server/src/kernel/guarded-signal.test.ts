import { expect, test } from 'bun:test';
import { guardSignal, mayStillAct } from './guarded-signal.ts';

test('whoever acts without a signal, or under one that nobody guards, may act until it is aborted', () => {
  expect(mayStillAct(undefined)).toBe(true);
  const bare = new AbortController();
  expect(mayStillAct(bare.signal)).toBe(true);
  bare.abort();
  expect(mayStillAct(bare.signal)).toBe(false);
});

test('a guard is asked every time, and speaks also for a signal that follows the guarded one', () => {
  let isHeld = true;
  const outer = guardSignal(new AbortController().signal, () => isHeld);
  const inner = guardSignal(new AbortController().signal, () => mayStillAct(outer));
  expect([mayStillAct(outer), mayStillAct(inner)]).toEqual([true, true]);
  isHeld = false;
  expect([mayStillAct(outer), mayStillAct(inner)]).toEqual([false, false]);
});

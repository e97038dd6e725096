import { expect, test } from 'bun:test';
import { viewStages } from './stage-view.ts';

const stages = [
  { stage: 'roles' as const, total: 2, done: 1, failed: 1 },
  { stage: 'build' as const, total: 5, done: 3, failed: 0 },
  { stage: 'sweep' as const, total: 1, done: 0, failed: 0 },
];

const statesOf = (...args: Parameters<typeof viewStages>) =>
  viewStages(...args).map(({ stage, state }) => [stage, state]);

test('a running restore is at the first stage that is not over', () => {
  expect(statesOf('running', stages)).toEqual([
    ['prepare', 'done'],
    ['roles', 'done'],
    ['build', 'active'],
    ['sweep', 'waiting'],
  ]);
});

test('one that was stopped is at none, and what was not done stays so', () => {
  const states = statesOf('cancelled', stages).map(([, state]) => state);
  expect(states).toEqual(['done', 'done', 'waiting', 'waiting']);
});

test('before there is a plan, preparing is all there is', () => {
  expect(statesOf('queued', [])).toEqual([['prepare', 'waiting']]);
  expect(statesOf('snapshotting', [])).toEqual([['prepare', 'active']]);
  expect(statesOf('failed', [])).toEqual([['prepare', 'waiting']]);
  expect(statesOf('snapshotting', stages)).toEqual([['prepare', 'active']]);
});

import { expect, test } from 'bun:test';
import { describePlan } from './plan-words.ts';

const thing = (type: string) => ({ type, name: 'x' });
const nothing = { create: [], update: [], delete: [], keep: 0 };

test('a plan is told in a few sentences, by type', () => {
  const create = [thing('role'), thing('channel'), thing('channel'), thing('welcomeScreen')];
  const update = [{ ...thing('member'), changes: [] }];
  expect(describePlan({ create, update, delete: [], keep: 40 })).toEqual([
    'Missing, and created again: 2 channels, 1 role and 1 other part.',
    'Changed, and set back: 1 member’s roles.',
    'Nothing is deleted.',
    'As in the backup, and left alone: 40 in all. Messages in kept channels stay.',
  ]);
  expect(describePlan({ ...nothing, delete: [thing('channel')] })).toEqual([
    'Not in the backup, and deleted: 1 channel.',
  ]);
});

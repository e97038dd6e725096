import { expect, test } from 'bun:test';
import { groupPlanned, linesOf } from './plan-groups.ts';

test('a plan is shown by type, the most important first, with how many there are', () => {
  const groups = groupPlanned([
    { type: 'role', name: 'Crew' },
    { type: 'channel', name: 'general' },
    { type: 'wave', name: 'unheard of' },
    { type: 'channel', name: 'harbour' },
  ]);
  expect(groups.map(({ label, things }) => [label, things.length])).toEqual([
    ['Channels and categories', 2],
    ['Roles', 1],
    ['wave', 1],
  ]);
});

test('objects of one name share a line, unless the reasons differ', () => {
  const lines = linesOf([
    { type: 'channel', name: 'general' },
    { type: 'channel', name: 'general', reason: 'full' },
    { type: 'channel', name: 'general' },
  ]);
  expect(lines.map(({ name, reason, count }) => [name, reason, count])).toEqual([
    ['general', undefined, 2],
    ['general', 'full', 1],
  ]);
});

test('nothing planned is nothing shown', () => {
  expect(groupPlanned([])).toEqual([]);
});

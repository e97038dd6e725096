import { expect, test } from 'bun:test';
import {
  accountGroups,
  findDestinations,
  serverDestinations,
  serverGroups,
} from './destinations.ts';

const groups = [
  ...serverGroups('s1', 'Harbour'),
  ...accountGroups,
  serverDestinations([{ id: 's2', name: 'Lighthouse' }]),
];

const found = (query: string): string[] =>
  findDestinations(groups, query).flatMap(({ destinations }) => destinations.map(({ to }) => to));

test('every page is there once', () => {
  const all = found('');
  expect(new Set(all).size).toBe(all.length);
});

test.each([
  ['panel', ['/servers/s1/panels']],
  ['LOGO', ['/servers/s1/verify-page']],
  ['safety backup', ['/servers/s1/backups']],
  ['light', ['/servers/s2']],
  ['second factor', ['/account']],
  ['nothing like it', []],
])('%p leads to %p', (query, pages) => {
  expect(found(query)).toEqual(pages);
});

test('what is called so comes before what is about it', () => {
  expect(found('verify')[0]).toBe('/servers/s1/verify-page');
  expect(found('account')[0]).toBe('/account');
  expect(found('restore')).toEqual(['/servers/s1/backups', '/servers/s1/recover']);
});

test('the name of the server finds its own pages', () => {
  expect(found('harbour set')).toEqual(['/servers/s1/settings']);
});

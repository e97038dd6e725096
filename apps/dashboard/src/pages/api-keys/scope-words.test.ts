import { expect, test } from 'bun:test';
import { dashboardEndpoints, endpoints, scopes, scopeTiers } from '@holdfast/contract';
import { isScopeFound, isUnused, isUseful, scopesByTier } from './scope-words.ts';

test.each(['read', 'write', 'destructive'] as const)(
  'the %s scopes are those of the contract',
  (tier) => {
    expect(new Set(scopesByTier[tier])).toEqual(new Set(scopeTiers[tier]));
    expect(scopesByTier[tier]).toHaveLength(scopeTiers[tier].length);
  },
);

const askedBy = (entries: Record<string, { scope: string }>) =>
  new Set(Object.values(entries).map(({ scope }) => scope));

test('a scope is said to be of no use if and only if nothing asks for it', () => {
  const asked = askedBy({ ...endpoints, ...dashboardEndpoints });
  expect(scopes.filter(isUnused)).toEqual(scopes.filter((scope) => !asked.has(scope)));
});

test('a scope is of use to a key if and only if the API asks for it', () => {
  const asked = askedBy(endpoints);
  expect(scopes.filter(isUseful)).toEqual(scopes.filter((scope) => asked.has(scope)));
});

test('a scope is found by its name and by what it is for', () => {
  expect(isScopeFound('backups:restore', ' RESTORE ')).toBe(true);
  expect(isScopeFound('members:write', 'appeals')).toBe(true);
  expect(isScopeFound('members:write', 'payout')).toBe(false);
});

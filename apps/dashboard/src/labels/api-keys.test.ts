import { expect, test } from 'bun:test';
import {
  apiPrefix,
  dashboardEndpoints,
  endpoints,
  type KeyScope,
  scopes,
  scopeTiers,
} from '@holdfast/contract';
import {
  curlExample,
  dayText,
  endOfDay,
  isUnusedScope,
  isUsefulScope,
  matchesScope,
  scopesByTier,
} from './api-keys.ts';

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
  expect(scopes.filter(isUnusedScope)).toEqual(scopes.filter((scope) => !asked.has(scope)));
});

test('a scope is of use to a key if and only if the API asks for it', () => {
  const asked = askedBy(endpoints);
  expect(scopes.filter(isUsefulScope)).toEqual(scopes.filter((scope) => asked.has(scope)));
});

test('a scope is found by its name and by what it is for', () => {
  expect(matchesScope('backups:restore', ' RESTORE ')).toBe(true);
  expect(matchesScope('members:write', 'appeals')).toBe(true);
  expect(matchesScope('members:write', 'payout')).toBe(false);
});

test('a day is over one second before the next begins, where the reader is', () => {
  const end = new Date(endOfDay('2026-03-05') ?? '');
  expect(dayText(end)).toBe('2026-03-05');
  expect(dayText(new Date(end.getTime() + 1000))).toBe('2026-03-06');
});

test.each(['', 'soon', '2026', '2026-00-01'])('%p is no day', (day) => {
  expect(endOfDay(day)).toBeNull();
});

const urlOf = (scopes: KeyScope[]) => curlExample('https://here', 'key', scopes).split(' ').at(-1);

test('a key is tried with something that it may read', () => {
  for (const [scope, name] of [
    ['account:read', 'getAccount'],
    ['servers:read', 'listServers'],
    ['bots:read', 'listBots'],
    ['blacklist:read', 'listBlacklist'],
    ['audit:read', 'listAudit'],
    ['alerts:read', 'listAlerts'],
    ['api-keys:read', 'listKeys'],
    ['billing:read', 'listLedger'],
    ['marketplace:read', 'listListings'],
  ] as const) {
    expect(endpoints[name].scope).toBe(scope);
    expect(urlOf([scope])).toBe(`https://here${apiPrefix}${endpoints[name].path}`);
  }
});

test('a key for everything, or for nothing that is read, is tried with the account', () => {
  expect(urlOf(['*'])).toBe(`https://here${apiPrefix}/account`);
  expect(urlOf(['members:pull'])).toBe(`https://here${apiPrefix}/account`);
});

test('the line carries the key', () => {
  expect(curlExample('https://here', 'holdfast_x', ['*'])).toContain(
    "'Authorization: Bearer holdfast_x'",
  );
});

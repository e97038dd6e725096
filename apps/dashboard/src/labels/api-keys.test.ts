import { expect, test } from 'bun:test';
import { apiPrefix, endpoints, type KeyScope, scopeTiers } from '@holdfast/contract';
import { curlExample, dayText, endOfDay, matchesScope, scopesByTier } from './api-keys.ts';

const opening = new Set<string>(Object.values(endpoints).map(({ scope }) => scope));

test.each(['read', 'write', 'destructive'] as const)(
  'a new key is offered those %s scopes that open something, and no others',
  (tier) => {
    expect(scopesByTier[tier].toSorted()).toEqual(
      scopeTiers[tier].filter((scope) => opening.has(scope)).toSorted(),
    );
  },
);

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

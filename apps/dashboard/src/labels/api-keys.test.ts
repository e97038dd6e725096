import { expect, test } from 'bun:test';
import { apiPrefix, endpoints, type KeyScope, scopeTiers } from '@holdfast/contract';
import {
  curlExample,
  dayText,
  endOfDay,
  matchesScope,
  scopesByTier,
  scopeTiersOf,
} from './api-keys.ts';

const opening = new Set<string>(Object.values(endpoints).map(({ scope }) => scope));

test.each(['read', 'write', 'destructive'] as const)(
  'a new key is offered those %s scopes that open something, and no others',
  (tier) => {
    expect(scopesByTier[tier].toSorted()).toEqual(
      scopeTiers[tier].filter((scope) => opening.has(scope)).toSorted(),
    );
  },
);

test('of what a program asks for, the gravest stand apart and first; each scope stands once', () => {
  const gravest = ['account:delete', 'marketplace:payout', 'api-keys:write'] as const;
  const asked: KeyScope[] = [
    'servers:read',
    'servers:write',
    'servers:delete',
    'ads:read',
    ...gravest,
  ];
  expect(scopeTiersOf(asked)).toEqual([
    { tier: 'gravest', scopes: [...gravest] },
    { tier: 'destructive', scopes: ['servers:delete'] },
    { tier: 'write', scopes: ['servers:write'] },
    { tier: 'read', scopes: ['servers:read'] },
    { tier: 'other', scopes: ['ads:read'] },
  ]);
  const all = scopeTiersOf(['*']).flatMap(({ scopes }) => scopes);
  expect(all.toSorted()).toEqual(Object.values(scopesByTier).flat().toSorted());
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

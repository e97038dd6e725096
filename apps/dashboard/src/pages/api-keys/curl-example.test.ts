import { expect, test } from 'bun:test';
import { apiPrefix, endpoints, type KeyScope } from '@holdfast/contract';
import { curlExample } from './curl-example.ts';

const urlOf = (scopes: KeyScope[]) => curlExample('https://here', 'key', scopes).split(' ').at(-1);

test('a key is tried with something that it may read', () => {
  for (const [scope, name] of [
    ['account:read', 'getAccount'],
    ['servers:read', 'listServers'],
    ['bots:read', 'listBots'],
    ['blacklist:read', 'listBlacklist'],
    ['audit:read', 'listAudit'],
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

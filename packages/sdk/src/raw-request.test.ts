import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestService, type TestService } from '../../../apps/server/test/harness/service.ts';
import { failureOf } from '../test/failure-of.ts';
import { fetchFrom } from '../test/service-fetch.ts';
import { HoldfastError, HoldfastNetworkError, sendRawRequest } from './index.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const optionsOf = (key: string) => ({
  ...{ baseUrl: 'http://localhost:3000', key, userAgent: 'nightly/1.2', fetch: fetchFrom(service) },
});

test('any request is sent with the key, and is answered with the body or with the usual error', async () => {
  const { key, accountId } = await service.newTenant();
  const options = optionsOf(key);
  const account = { data: { id: accountId } };
  expect(await sendRawRequest(options, { method: 'GET', path: 'account' })).toMatchObject(account);
  const fromRoot = { method: 'GET', path: '/api/v1/account' };
  expect(await sendRawRequest(options, fromRoot)).toMatchObject(account);
  expect(await sendRawRequest(options, { method: 'GET', path: '/docs/api.md' })).toStartWith('# ');
  const wrong = sendRawRequest(options, { method: 'POST', path: 'servers', body: '{}' });
  const error = await failureOf(wrong, HoldfastError);
  expect(error.is('invalidInput') && error.details.fieldErrors).toHaveProperty('name');
});

test('its address is below that of the service, whatever its path', async () => {
  const seen: string[] = [];
  const options = {
    ...optionsOf('holdfast_x'),
    baseUrl: 'https://example.com/behind/',
    async fetch(url: string) {
      seen.push(url);
      return Response.json({});
    },
  };
  const send = (path: string, query?: Record<string, string>) =>
    sendRawRequest(options, { method: 'GET', path, query });
  await send('servers?limit=5', { page: '2' });
  await send('/health');
  await send('//evil.example');
  await send('@evil.example');
  expect(seen).toEqual([
    'https://example.com/behind/api/v1/servers?limit=5&page=2',
    'https://example.com/behind/health',
    'https://example.com/behind//evil.example',
    'https://example.com/behind/api/v1/@evil.example',
  ]);
});

test('only a GET is sent again if no answer came', async () => {
  const attempts = async (method: string) => {
    let count = 0;
    const fetch = () => Promise.reject(new TypeError(`Nobody there ${++count}`));
    const options = { ...optionsOf('holdfast_x'), fetch, retries: 1 };
    const lost = sendRawRequest(options, { method, path: 'servers' });
    await failureOf(lost, HoldfastNetworkError);
    return count;
  };
  expect([await attempts('GET'), await attempts('POST'), await attempts('DELETE')]).toEqual([
    2, 1, 1,
  ]);
});

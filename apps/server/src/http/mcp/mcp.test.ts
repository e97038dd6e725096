import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { defaultPlans } from '@holdfast/contract';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
let limited: TestService;
let owner: OwnTenant;
let served: { url: string; stop(): Promise<void> };
beforeAll(async () => {
  service = await startTestService();
  limited = await startTestService({ plans: defaultPlans });
  owner = await service.newTenant();
  served = service.listen();
});
afterAll(async () => {
  await served.stop();
  await service.stop();
  await limited.stop();
});

const accept = 'application/json, text/event-stream';
const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** What messages of the newest revision have. */
const newestMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const newestHeaders = { 'mcp-protocol-version': '2026-07-28' };

const send = (
  { body = JSON.stringify(message), method = 'POST', ...headers }: Record<string, string> = {},
  by = owner,
  signal?: AbortSignal,
) =>
  fetch(`${served.url}/mcp`, {
    method,
    headers: {
      accept,
      'content-type': 'application/json',
      authorization: `Bearer ${by.key}`,
      ...headers,
    },
    ...(method === 'POST' && { body }),
    signal,
  });

test('a message is answered, with the headers of every answer', async () => {
  const answer = await send();
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('server_status');
  expect(answer.headers.get('x-request-id')).not.toBeNull();
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('mcp-session-id')).toBeNull();
});

describe('refused is', () => {
  test.each([
    ['no key', { authorization: '' }, 401],
    ['a wrong key', { authorization: 'Bearer holdfast_wrong' }, 401],
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['another content type', { 'content-type': 'text/plain' }, 415],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415],
    ['what is not JSON', { body: '{' }, 400],
    ['an empty body', { body: '' }, 400],
    ['a text', { body: '"x"' }, 400],
    ['a batch', { body: JSON.stringify([message, message]) }, 400],
    ['an empty batch', { body: '[]' }, 400],
    ['what is no message', { body: '{"a":1}' }, 400],
    ['a body that is too large', { body: JSON.stringify({ a: 'x'.repeat(300_000) }) }, 413],
    ['a client that takes neither JSON nor a stream', { accept: 'text/html' }, 406],
  ])('%s', async (_, request, status) => {
    const answer = await send(request);
    expect(answer.status).toBe(status);
    const { error } = await answer.json();
    expect(error).toBeDefined();
    if (status === 401) expect(answer.headers.get('www-authenticate')).toStartWith('Bearer');
  });

  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])(
    '%s: there is no stream and no session',
    async (method) => {
      const answer = await send({ method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
    },
  );

  test('a subscription, since nothing changes that could be told', async () => {
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' },
      params: {
        notifications: { toolsListChanged: true },
        _meta: newestMeta,
      },
    });
    const answer = await send({
      body,
      ...newestHeaders,
      'mcp-method': 'subscriptions/listen',
    });
    expect((await answer.json()).error.message).toContain('limit');
  });
});

test('its own pages may call it, and OPTIONS tells the methods to nobody else', async () => {
  expect((await send({ origin: 'http://localhost:3000' })).status).toBe(200);
  const options = await send({ method: 'OPTIONS', origin: 'http://evil.example' });
  expect(options.status).toBe(204);
  expect(options.headers.get('allow')).toBe('POST, OPTIONS');
  expect(options.headers.get('access-control-allow-origin')).toBeNull();
});

test('messages have a budget, and calls of tools draw from that of the API', async () => {
  const tenant = await limited.newTenant({ plan: 'FREE' });
  const limit = defaultPlans.FREE.apiRatePerTenSeconds;
  const headers = { accept, authorization: `Bearer ${tenant.key}` };
  const params = { name: 'call_operation', arguments: { operation: 'getAccount' } };
  const call = { ...message, method: 'tools/call', params };
  const first = await limited.call('POST', '/mcp', { headers, body: call });
  expect(first.text).toContain(tenant.platformId);
  const account = await tenant.call('GET', '/api/v1/account');
  expect(account.headers.get('x-ratelimit-remaining')).toBe(String(limit - 2));
  const statuses: number[] = [];
  for (let sent = 0; sent < limit; sent++) {
    statuses.push((await limited.call('POST', '/mcp', { headers, body: message })).status);
  }
  expect(statuses.toSorted()).toEqual([...Array(limit - 1).fill(200), 429]);
});

test('no key is written into the log', () => {
  const lines = [...service.logLines, ...limited.logLines].join('\n');
  expect(lines).not.toContain(owner.key);
});

// Takes about 20 s: started before shorter ones.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Endpoint, type EndpointName, responseBody, scopes } from '@holdfast/contract';
import { z } from 'zod';
import { generateKey } from '../src/features/keys/rules.ts';
import {
  everyEndpoint,
  expectCommonHeaders,
  serveEveryEndpoint,
} from './harness/endpoints/every-endpoint.ts';
import { type Sample, send } from './harness/endpoints/sample-records.ts';
import { samples } from './harness/endpoints/samples.ts';
import type { OwnTenant, TestService } from './harness/service.ts';

let service: TestService;
let owner: OwnTenant;
beforeAll(async () => {
  service = await serveEveryEndpoint();
});
afterAll(() => service.stop());

describe.each(everyEndpoint)('%s', (name, entry) => {
  // Of their own for each endpoint, since an account holds only so many keys.
  beforeAll(async () => {
    owner = await service.newTenant();
  });
  // Each deletion needs an account of its own.
  if (name === 'deleteAccount') {
    beforeEach(async () => {
      owner = await service.newTenant();
    });
  }

  test('answers a good request as the contract says', async () => {
    const sample = await samples[name](owner);
    const changesBefore = service.changes.length;
    const reply = await send(owner, name, sample);
    expect(reply.body).not.toHaveProperty('error');
    expect(reply.status).toBe(entry.status);
    expect(z.safeDecode(responseBody(entry), reply.body).error).toBeUndefined();
    expectCommonHeaders(reply);
    if (entry.method === 'GET' || name === 'planRestore') return;
    // Open pages of the account are told what to read again.
    const told = service.changes
      .slice(changesBefore)
      .filter(({ accountId, topic }) => accountId === owner.accountId && topic !== 'audit');
    expect(told).not.toEqual([]);
  });

  test('refuses a request without a good key, always with the same body', async () => {
    const revoked = await service.newKey(owner, ['*']);
    await revoked.call('DELETE', `/api/v1/keys/${revoked.keyId}`);
    const unknown = generateKey((count) => crypto.getRandomValues(new Uint8Array(count)));
    const mistyped = `${owner.key.slice(0, -1)}${owner.key.endsWith('0') ? '1' : '0'}`;
    const sample = await samples[name](owner);
    const headersToTry: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: `Basic ${owner.key}` },
      { authorization: owner.key },
      { authorization: `Bearer ${owner.key}, Bearer ${owner.key}` },
      { authorization: `Bearer ${unknown}` },
      { authorization: `Bearer ${mistyped}` },
      { authorization: `Bearer ${revoked.key}` },
      { 'x-api-key': owner.key, cookie: `key=${owner.key}` },
    ];
    const bodies = new Set<string>();
    for (const headers of headersToTry) {
      const reply = await send(service, name, sample, { headers });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expectCommonHeaders(reply);
      bodies.add(reply.text);
    }
    expect(bodies.size).toBe(1);
  });

  test('takes the scheme in any case', async () => {
    const headers = { authorization: `bEARER ${owner.key}` };
    const reply = await send(service, name, await samples[name](owner), { headers });
    expect(reply.status).toBe(entry.status);
  });

  test('needs its own scope and no other', async () => {
    const sample = await samples[name](owner);
    const others = await service.newKey(
      owner,
      scopes.filter((scope) => scope !== entry.scope),
    );
    const refused = await send(others, name, sample);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      error: `Missing required scope: ${entry.scope}`,
      requiredScope: entry.scope,
      yourScopes: scopes.filter((scope) => scope !== entry.scope),
    });
    expectCommonHeaders(refused);
    const only = await service.newKey(owner, [entry.scope]);
    const allowed = await send(only, name, { ...sample, ...creatableBy(name, entry) });
    expect(allowed.status).toBe(entry.status);
    // An account may have 100 live keys, and there are more endpoints than half of that.
    await service.db.$client`
      update api_keys set revoked_at = now() where id in (${others.keyId}, ${only.keyId})`;
  });
});

/** A key that holds one scope can create only that one. */
const creatableBy = (name: EndpointName, entry: Endpoint): Sample =>
  name === 'createKey' ? { body: { name: 'ci', scopes: [entry.scope] } } : {};

describe('a path or method that is no endpoint', () => {
  test.each([
    ['GET', '/api/v1'],
    ['GET', '/api/v1/'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1/account/'],
    ['POST', '/api/v1/account'],
    ['PATCH', '/api/v1/servers'],
    ['OPTIONS', '/api/v1/account'],
    ['GET', '/api/v1/ACCOUNT'],
    ['GET', '/api/v1/account%00'],
  ])('%s %s is 404 with a key, 401 without', async (method, path) => {
    const found = await owner.call(method, path);
    expect(found.status).toBe(404);
    expect(found.body).toEqual({ error: 'Route not found' });
    expectCommonHeaders(found);
    const without = await service.call(method, path);
    expect(without.status).toBe(401);
    expectCommonHeaders(without);
  });

  test('HEAD is answered like GET, without the body', async () => {
    const reply = await owner.call('HEAD', '/api/v1/account');
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('');
    expectCommonHeaders(reply);
  });
});

// Takes about 66 s: started before shorter ones.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  type Endpoint,
  type EndpointName,
  endpoints,
  responseBody,
  scopes,
} from '@holdfast/contract';
import { z } from 'zod';
import { generateKey } from '../src/features/keys/rules.ts';
import { hostileBodies, hostileQueries, hostileValues } from './harness/endpoints/hostile-input.ts';
import { type Sample, send } from './harness/endpoints/sample-records.ts';
import { samples } from './harness/endpoints/samples.ts';
import {
  type OwnTenant,
  plansWithoutRateLimit,
  type Reply,
  startTestService,
  type TestService,
} from './harness/service.ts';

let service: TestService;
let owner: OwnTenant;
let stranger: OwnTenant;
beforeAll(async () => {
  // Restores wait, so that there is one to read and to cancel.
  service = await startTestService({ plans: roomyPlans, doesWork: ['backups.run'] });
});
afterAll(() => service.stop());

const roomyPlans = Object.fromEntries(
  (['FREE', 'PREMIUM', 'BUSINESS', 'ENTERPRISE'] as const).map((name) => [
    name,
    { ...plansWithoutRateLimit[name], maxServers: 1e6, maxBots: 1e6, maxBackups: 1e6 },
  ]),
) as typeof plansWithoutRateLimit;

// Object.entries widens the names; they are the contract's own.
const entries = Object.entries(endpoints) as [EndpointName, Endpoint][];

const expectCommonHeaders = ({ headers }: Reply) => {
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('cache-control')).toBe('no-store');
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  }
  expect(headers.get('access-control-allow-origin')).toBeNull();
};

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The sample once for each id in it, that id replaced. */
const withEachId = (sample: Sample, replace: () => string): [string, Sample][] =>
  (['params', 'query', 'body'] as const).flatMap((part) =>
    Object.entries(sample[part] ?? {})
      .filter(([, value]) => typeof value === 'string' && uuidPattern.test(value))
      .map(([field]): [string, Sample] => [
        field,
        { ...sample, [part]: { ...sample[part], [field]: replace() } },
      ]),
  );

describe.each(entries)('%s', (name, entry) => {
  // Of their own for each endpoint, since an account holds only so many keys.
  beforeAll(async () => {
    owner = await service.newTenant();
    stranger = await service.newTenant();
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

  test('does not tell a foreign id from one that never was', async () => {
    const sample = await samples[name](owner);
    const foreign = await samples[name](stranger);
    for (const [field, absent] of withEachId(sample, () => crypto.randomUUID())) {
      if (isEverybodys(field)) continue;
      const [, theirs] =
        withEachId(sample, () => idIn(foreign, field)).find(([other]) => other === field) ?? [];
      const [notThere, notYours] = [
        await send(owner, name, absent),
        await send(owner, name, theirs ?? {}),
      ];
      expect([field, notThere.status]).toEqual([field, 404]);
      expect([field, notYours.status]).toEqual([field, 404]);
      expect(notYours.text).toBe(notThere.text);
      expect([...notYours.headers.keys()]).toEqual([...notThere.headers.keys()]);
      expectCommonHeaders(notYours);
    }
  });

  test('names the parameter whose UUID is malformed', async () => {
    const sample = await samples[name](owner);
    for (const bad of ['x', '123', `${crypto.randomUUID()}0`, '%00', "' or 1=1 --", '..%2f']) {
      for (const [field, broken] of withEachId(sample, () => bad)) {
        const reply = await send(owner, name, broken);
        expect(reply.status).toBe(400);
        expect(Object.keys(reply.body.details.fieldErrors)).toContain(field);
        expectCommonHeaders(reply);
      }
    }
  });

  test('answers hostile input with a 4xx, never a 500', async () => {
    const good = await samples[name](owner);
    // One that would be carried out leaves nobody to send the others.
    const sample = name === 'deleteAccount' ? { body: { confirm: 'not the name' } } : good;
    const check = (reply: Reply, input: unknown) => {
      expect([reply.status < 500, input]).toEqual([true, input]);
      expectCommonHeaders(reply);
    };
    for (const field of Object.keys(sample.body ?? {})) {
      for (const value of hostileValues) {
        const body = { ...sample.body, [field]: value };
        check(await send(owner, name, { ...sample, body }), { field, value });
      }
    }
    for (const query of hostileQueries(Object.keys(entry.query?.shape ?? {}))) {
      const path = `${pathOf(name, sample)}?${query}`;
      check(await owner.call(entry.method, path, { body: sample.body }), query);
    }
    if (!entry.body) return;
    for (const { raw, headers, isObject } of hostileBodies) {
      const reply = await owner.call(entry.method, pathOf(name, sample), { raw, headers });
      check(reply, headers);
      if (isObject && entry.bodyOptional) continue;
      expect(reply.status).toBe(400);
      expect(reply.body.details).toBeDefined();
    }
  });
});

/** What is for sale is for everybody to see. */
const isEverybodys = (field: string): boolean => field === 'listingId';

/** A key that holds one scope can create only that one. */
const creatableBy = (name: EndpointName, entry: Endpoint): Sample =>
  name === 'createKey' ? { body: { name: 'ci', scopes: [entry.scope] } } : {};

const idIn = (sample: Sample, field: string): string =>
  String(sample.params?.[field] ?? sample.query?.[field] ?? sample.body?.[field]);

const pathOf = (name: EndpointName, sample: Sample): string => {
  const path: string = endpoints[name].path;
  return `/api/v1${path.replace(/:(\w+)/g, (_, param: string) => sample.params?.[param] ?? '')}`;
};

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

// Takes about 20 s: started before shorter ones.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type EndpointName, endpoints } from '@holdfast/contract';
import {
  everyEndpoint,
  expectCommonHeaders,
  serveEveryEndpoint,
  withEachId,
} from './harness/endpoints/every-endpoint.ts';
import { hostileBodies, hostileQueries, hostileValues } from './harness/endpoints/hostile-input.ts';
import { type Sample, send } from './harness/endpoints/sample-records.ts';
import { samples } from './harness/endpoints/samples.ts';
import type { OwnTenant, Reply, TestService } from './harness/service.ts';

let service: TestService;
let owner: OwnTenant;
let stranger: OwnTenant;
beforeAll(async () => {
  service = await serveEveryEndpoint();
});
afterAll(() => service.stop());

describe.each(everyEndpoint)('%s', (name, entry) => {
  // Of their own for each endpoint, since an account holds only so many keys.
  beforeAll(async () => {
    owner = await service.newTenant();
    stranger = await service.newTenant();
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

const idIn = (sample: Sample, field: string): string =>
  String(sample.params?.[field] ?? sample.query?.[field] ?? sample.body?.[field]);

const pathOf = (name: EndpointName, sample: Sample): string => {
  const path: string = endpoints[name].path;
  return `/api/v1${path.replace(/:(\w+)/g, (_, param: string) => sample.params?.[param] ?? '')}`;
};

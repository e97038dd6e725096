import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { KeyScope } from '@holdfast/contract';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
let owner: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.newTenant();
});
afterAll(() => service.stop());

const keyWith = (...scopes: KeyScope[]) => service.newKey(owner, scopes);
const revoke = (by: OwnTenant, keyId: string) => by.call('DELETE', `/api/v1/keys/${keyId}`);
const works = async (key: OwnTenant) => (await key.call('GET', '/api/v1/account')).status !== 401;
const entriesOf = async (keyId: string) =>
  (await owner.call('GET', '/api/v1/audit?limit=100')).body.data.filter(
    (entry: { action: string; subject: { id: string } }) =>
      entry.action === 'key.revoke' && entry.subject.id === keyId,
  );

test('a key does not revoke one that holds a scope it lacks, and nothing happened', async () => {
  const weak = await keyWith('api-keys:write', 'servers:read');
  for (const stronger of [await keyWith('*'), await keyWith('servers:read', 'servers:delete')]) {
    const refused = await revoke(weak, stronger.keyId);
    const requiredScope = stronger === owner ? '*' : refused.body.requiredScope;
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        error: `Missing required scope: ${requiredScope}`,
        requiredScope: expect.stringMatching(/^(\*|servers:delete)$/),
        yourScopes: ['api-keys:write', 'servers:read'],
      },
    ]);
    expect(await works(stronger)).toBe(true);
    expect(await entriesOf(stronger.keyId)).toEqual([]);
  }
});

test('a key revokes its equals, weaker ones and itself', async () => {
  const key = await keyWith('api-keys:write', 'servers:read');
  for (const other of [await keyWith('servers:read'), await keyWith('api-keys:write'), key]) {
    expect((await revoke(key, other.keyId)).status).toBe(200);
    expect(await works(other)).toBe(false);
  }
});

test('a key without the scope to revoke does not even revoke itself', async () => {
  const key = await keyWith('servers:read');
  const refused = await revoke(key, key.keyId);
  expect([refused.status, refused.body.requiredScope]).toEqual([403, 'api-keys:write']);
});

test('a key of another account is not found', async () => {
  const [weak, stranger] = [await keyWith('api-keys:write'), await service.newTenant()];
  const [foreign, unknown] = [
    await revoke(weak, stranger.keyId),
    await revoke(weak, crypto.randomUUID()),
  ];
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
});

test('the dashboard revokes every key', async () => {
  const [strong, { call }] = [await keyWith('*'), await openDashboard(service, owner)];
  expect((await call('DELETE', `/keys/${strong.keyId}`)).status).toBe(200);
  expect(await works(strong)).toBe(false);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../test/harness/bots-and-servers.ts';
import { whileItWaits } from '../../test/harness/database-faults/while-it-waits.ts';
import { type OwnTenant, startTestService, type TestService } from '../../test/harness/service.ts';
import { rewrapBots } from '../features/bots/credentials/rewrap-bots.ts';
import { generateMasterKey, parseKeyRing } from '../kernel/seal.ts';
import { runAdminCommand } from './admin/run.ts';
import { describeKeys, requireRingFits } from './sealed-data.ts';

const [firstKey, secondKey] = [generateMasterKey(), generateMasterKey()];
const idOf = (masterKey: string): string => masterKey.split(':')[0] ?? '';
const bytesOf = (masterKey: string): string => masterKey.split(':')[1] ?? '';

const ring = parseKeyRing(firstKey);
let service: TestService;
let tenant: OwnTenant;
let serverId: string;
beforeAll(async () => {
  service = await startTestService({ ring });
  tenant = await service.newTenant();
  serverId = await createServer(tenant);
});
afterAll(() => service.stop());

const sql = () => service.db.$client;

/** One row in each table that holds something sealed, as if under the key `gone`; and how it goes again. */
const lostRows: Record<string, { put(): Promise<unknown>; remove(): Promise<unknown> }> = {
  bots: {
    put: () => sql()`update bots set seal_key_id = 'gone'`,
    remove: () => sql()`update bots set seal_key_id = ${ring.sealingKeyId}`,
  },
  accounts: {
    put: () =>
      sql()`update accounts set hash_key = 's1.gone.nonce.body' where id = ${tenant.accountId}`,
    remove: () => sql()`update accounts set hash_key = null`,
  },
  second_factors: {
    put: () => sql()`insert into second_factors (account_id, secret)
      values (${tenant.accountId}, 's1.gone.nonce.body')`,
    remove: () => sql()`delete from second_factors`,
  },
  member_tokens: {
    put: () => sql()`
      insert into member_tokens (id, account_id, bot_id, platform_id, access_token, refresh_token,
        seal_key_id, scopes, expires_at, refresh_at)
      select gen_random_uuid(), account_id, id, '1', 'x', 'x', 'gone', '[]', now(), now() from bots`,
    remove: () => sql()`delete from member_tokens`,
  },
  pending_verifications: {
    put: () => sql()`
      insert into pending_verifications (id, browser_hash, account_id, server_id, bot_id, attempt_id,
        platform_id, username, wants_recovery, met_rules, access_token, refresh_token, seal_key_id,
        scopes, token_expires_at, expires_at)
      select gen_random_uuid(), 'x', account_id, ${serverId}, id, gen_random_uuid(), '1', 'x', true,
        '{"whitelist":false,"firewall":false}', 'x', 'x', 'gone', '[]', now(), now() from bots`,
    remove: () => sql()`delete from pending_verifications`,
  },
  blobs: {
    put: () => sql()`
      insert into blobs (id, account_id, hash, size_bytes, stored_bytes, seal_key_id, added_by)
      values (gen_random_uuid(), ${tenant.accountId}, 'x', 1, 1, 'gone', gen_random_uuid())`,
    remove: () => sql()`delete from blobs`,
  },
  'pgboss.job': {
    put: () => sql()`insert into pgboss.job (name, data)
      values ('vault.revoke', '{"sealed":"s1.gone.nonce.body"}')`,
    remove: () => sql()`update pgboss.job set state = 'completed' where name = 'vault.revoke'`,
  },
};

for (const [table, { put, remove }] of Object.entries(lostRows)) {
  test(`a ring without the key of a row in ${table} is refused by key and table`, async () => {
    await requireRingFits(service.db, ring);
    await put();
    const refused = requireRingFits(service.db, ring);
    await expect(refused).rejects.toThrow(`is sealed under: gone (${table}).`);
    const { keys } = await describeKeys(service.db, ring);
    const gone = {
      keyId: 'gone',
      isInRing: false,
      isSealing: false,
      rows: { [table]: 1 },
      total: 1,
    };
    expect(keys).toContainEqual({ ...gone, mayBeRemoved: false });
    await remove();
    await requireRingFits(service.db, ring);
  });
}

test('another key under the id of one that was used is refused, also where nothing is sealed under it', async () => {
  await requireRingFits(service.db, parseKeyRing(`${firstKey},${secondKey}`));
  const confused = parseKeyRing(`${firstKey},${idOf(secondKey)}:${bytesOf(generateMasterKey())}`);
  await expect(requireRingFits(service.db, confused)).rejects.toThrow(
    `another key under the id ${idOf(secondKey)}`,
  );
});

test('a bot that is in use while the keys rotate is re-wrapped as soon as it is free', async () => {
  const rotated = parseKeyRing(`${secondKey},${firstKey}`);
  const rewrapped = await whileItWaits(service.db, {
    async lock(busy) {
      await busy`select id from bots for key share`;
      await busy`update bots set checked_at = now()`;
    },
    work: () => rewrapBots(service.db, rotated, () => undefined),
  });
  expect(rewrapped).toBe(1);
  expect(
    await rewrapBots(service.db, parseKeyRing(`${firstKey},${secondKey}`), () => undefined),
  ).toBe(1);
});

test('one altered row does not keep the service from starting, even alone under its key', async () => {
  const both = parseKeyRing(`${secondKey},${firstKey}`);
  await requireRingFits(service.db, both);
  await sql()`update bots set bot_token = client_secret`;
  expect(await rewrapBots(service.db, both, () => undefined)).toBe(0);
  await requireRingFits(service.db, both);
});

test('the operator sees what each key seals, and which key may be removed', async () => {
  const env = { DATABASE_URL: service.databaseUrl };
  const status = async (masterKeys: string) =>
    JSON.parse(await runAdminCommand(['key-status'], { ...env, MASTER_KEYS: masterKeys }));
  const [first, second] = [idOf(firstKey), idOf(secondKey)];
  const inRing = { isInRing: true, mayBeRemoved: false };
  const bot = { rows: { bots: 1 }, total: 1 };
  const nothing = { rows: {}, total: 0 };
  expect(await status(`${secondKey},${firstKey}`)).toEqual({
    sealingKeyId: second,
    keys: [
      { keyId: second, ...inRing, isSealing: true, ...nothing },
      { keyId: first, ...inRing, isSealing: false, ...bot },
    ],
  });
  const { keys } = await status(`${firstKey},${secondKey}`);
  expect(keys).toEqual([
    { keyId: first, ...inRing, isSealing: true, ...bot },
    { keyId: second, isInRing: true, isSealing: false, ...nothing, mayBeRemoved: true },
  ]);
});

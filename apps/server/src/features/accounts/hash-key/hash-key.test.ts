import { afterAll, beforeAll, expect, test } from 'bun:test';
import { loseFirstCommits } from '../../../../test/harness/database-faults/triggers.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';
import { accountHashKey, rewrapHashKeys } from './hash-key.ts';
import { findHashKey } from './queries.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('an account has one hash key, however many first requests there are, and no two accounts have the same', async () => {
  const { db, ring } = service;
  const [one, other] = [await service.newTenant(), await service.newTenant()];
  const asked = Array.from({ length: 10 }, () => accountHashKey(db, ring, one.accountId));
  const keys = (await Promise.all(asked)).map((key) => key.reveal());
  expect(new Set(keys).size).toBe(1);
  expect((await accountHashKey(db, ring, other.accountId)).reveal()).not.toBe(keys[0] ?? '');
  expect(await findHashKey(db, one.accountId)).not.toContain(keys[0] ?? '');
});

test('a hash key outlives the master key it was first sealed under', async () => {
  const { db } = service;
  const { accountId } = await service.newTenant();
  const [before, after] = [generateMasterKey(), generateMasterKey()];
  const key = await accountHashKey(db, parseKeyRing(before), accountId);
  const broken: Error[] = [];
  const both = parseKeyRing(`${after},${before}`);
  await rewrapHashKeys(db, both, (error) => broken.push(error));
  const kept = await accountHashKey(db, parseKeyRing(after), accountId);
  expect(kept.reveal()).toBe(key.reveal());
  // The other accounts of this test are sealed under a key that this ring never had.
  expect(broken.length).toBeGreaterThan(0);
});

test('a page of keys that do not open keeps none behind it from being sealed again', async () => {
  const { db } = service;
  const { accountId } = await service.newTenant();
  const [before, after] = [generateMasterKey(), generateMasterKey()];
  await accountHashKey(db, parseKeyRing(before), accountId);
  await db.$client`insert into accounts (id, platform_id, username, hash_key)
    select lpad(n::text, 32, '0')::uuid, n, 'x', 's1.gone.nonce.body' from generate_series(1, 100) as n`;
  const broken: Error[] = [];
  const both = parseKeyRing(`${after},${before}`);
  expect(await rewrapHashKeys(db, both, (error) => broken.push(error))).toBe(1);
  expect(broken.length).toBeGreaterThanOrEqual(100);
});

test('keys that are sealed again in a transaction that is lost at first are counted once', async () => {
  const own = await startTestService();
  try {
    const { db } = own;
    const [one, other] = [await own.newTenant(), await own.newTenant()];
    const [before, after] = [generateMasterKey(), generateMasterKey()];
    await accountHashKey(db, parseKeyRing(before), one.accountId);
    await accountHashKey(db, parseKeyRing(generateMasterKey()), other.accountId);
    await loseFirstCommits(db.$client, 'accounts');
    const broken: Error[] = [];
    const both = parseKeyRing(`${after},${before}`);
    expect(await rewrapHashKeys(db, both, (error) => broken.push(error))).toBe(1);
    expect(broken).toHaveLength(1);
  } finally {
    await own.stop();
  }
});

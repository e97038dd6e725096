import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestService, type TestService } from '../../../../../test/harness/service.ts';
import { systemClock } from '../../../../kernel/clock.ts';
import { newId } from '../../../../kernel/ids.ts';
import { sweepStorage } from './sweep-storage.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const sweep = (limits?: Parameters<typeof sweepStorage>[2]) =>
  sweepStorage({ ...service, clock: systemClock }, AbortSignal.timeout(30_000), limits);

const newAccounts = async (count: number): Promise<string[]> => {
  const tenants = await Promise.all(Array.from({ length: count }, () => service.newTenant()));
  return tenants.map(({ accountId }) => accountId);
};

/** How many runs it takes until there is nothing left. */
const runsUntilNone = async (left: () => Promise<number>, limits: Parameters<typeof sweep>[0]) => {
  let runs = 0;
  for (; (await left()) > 0 && runs < 100; runs++) await sweep(limits);
  return runs;
};

test('objects without a reference go in as many runs as a run looks at, and then in one', async () => {
  const accountIds = await newAccounts(8);
  const { $client: sql } = service.db;
  const add = async () => {
    for (const accountId of accountIds) {
      await sql`
        insert into blobs (id, account_id, hash, size_bytes, stored_bytes, seal_key_id, added_by)
        values (${newId()}, ${accountId}, encode(sha256(gen_random_uuid()::text::bytea), 'hex'), 1, 1, 'k1',
          gen_random_uuid())`;
    }
  };
  const left = async () => Number((await sql`select count(*) as n from blobs`)[0].n);
  await add();
  const few = { objects: 2, files: 1_000_000, atATime: 2 };
  expect(await runsUntilNone(left, few)).toBeGreaterThanOrEqual(4);
  await add();
  await sweep();
  expect(await left()).toBe(0);
});

test('files without a row go in as many runs as a run looks at, and then in one', async () => {
  const accountIds = await newAccounts(6);
  const add = async () => {
    for (const accountId of accountIds) {
      await service.blobs.write({ accountId, bytes: Buffer.from(newId()) });
    }
  };
  const left = async () => (await Array.fromAsync(service.blobs.list())).length;
  await add();
  expect(await left()).toBe(6);
  const few = { objects: 1_000_000, files: 2, atATime: 5000 };
  expect(await runsUntilNone(left, few)).toBeGreaterThanOrEqual(6);
  await add();
  expect(await sweep()).toBe(6);
  expect(await left()).toBe(0);
});

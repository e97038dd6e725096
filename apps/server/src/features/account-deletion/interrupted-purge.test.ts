import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createListing } from '../../../test/harness/marketplace/fixture.ts';
import { type PullFixture, startPullFixture } from '../../../test/harness/pulls/fixture.ts';
import { verifyChain } from '../audit/chain/verify-chain.ts';
import { purgeAccountJob } from './jobs.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture({ doesWork: false });
});
afterAll(() => fixture.stop());

const members = 3;

type Enqueue = PullFixture['service']['queue']['enqueue'];

/** A worker that dies in the transaction that enqueues its nth job. */
const workerThatDiesAt = (nth: number) => {
  const { db, service } = fixture;
  let handedOver = 0;
  const enqueue: Enqueue = async (...given) => {
    if (handedOver++ === nth) throw new Error('killed');
    await service.queue.enqueue(...given);
  };
  const job = purgeAccountJob({ db, ring: service.ring, queue: { enqueue } });
  if (job.subjectOf) throw new Error('It would need a lease');
  return job;
};

/** Whether the purge completed. */
const purgeUntilDeath = (accountId: string, nth: number): Promise<boolean> =>
  workerThatDiesAt(nth)
    .run({ accountId }, new AbortController().signal)
    .then(
      () => true,
      () => false,
    );

const queuedFor = async (accountId: string, name: string): Promise<number> => {
  const [row] = await fixture.db.$client`
    select count(*)::int as jobs from pgboss.job
    where name = ${name} and data ->> 'accountId' = ${accountId}`;
  return row.jobs;
};

test('if a worker dies during the purge of an account, another one completes it', async () => {
  const server = await fixture.newServer();
  const { accountId, platformId } = server.owner;
  await createListing(server.owner, { title: 'A canary' });
  await fixture.addMembers(server, members);
  const body = { confirm: `user-${platformId}` };
  expect((await server.owner.call('DELETE', '/api/v1/account', { body })).status).toBe(200);
  let deaths = 0;
  for (let isOver = false; !isOver && deaths < 20; ) {
    isOver = await purgeUntilDeath(accountId, deaths);
    if (!isOver) deaths++;
  }
  // Fewer than all jobs: the next worker does not enqueue again what was enqueued before.
  expect(deaths).toBeGreaterThan(2);
  expect(await queuedFor(accountId, 'vault.revoke')).toBe(members);
  expect(await queuedFor(accountId, 'account.finish')).toBe(1);
  const rows = await fixture.db.$client`
    select title from listings where seller_id = ${accountId} and title <> 'Deleted listing'`;
  expect(rows.length).toBe(0);
  const { entries, ...rest } = await verifyChain(fixture.db, accountId, { isOfDeleted: true });
  expect(rest).toEqual({ intact: true, contentsRemoved: entries });
  expect(await verifyChain(fixture.db, accountId)).toMatchObject({ intact: false });
  await fixture.db.$client`
    update audit_entries set hash = ${'0'.repeat(64)} where account_id = ${accountId} and seq = 1`;
  const broken = await verifyChain(fixture.db, accountId, { isOfDeleted: true });
  expect(broken).toMatchObject({ intact: false, fault: { seq: 2, reason: 'does not follow' } });
});

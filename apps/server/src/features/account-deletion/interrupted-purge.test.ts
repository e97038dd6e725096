import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createListing } from '../../../test/market-scene.ts';
import { type PullScene, startPullScene } from '../../../test/pull-scene.ts';
import { verifyChain } from '../audit/verify-chain.ts';
import { purgeAccountJob } from './jobs.ts';

let scene: PullScene;
beforeAll(async () => {
  scene = await startPullScene({ doesWork: false });
}, 60_000);
afterAll(() => scene.stop());

const members = 3;

type Enqueue = PullScene['service']['queue']['enqueue'];

/** A worker that dies in the transaction in which it would hand over its nth job. */
const workerThatDiesAt = (nth: number) => {
  const { db, service } = scene;
  let handedOver = 0;
  const enqueue: Enqueue = async (...given) => {
    if (handedOver++ === nth) throw new Error('killed');
    await service.queue.enqueue(...given);
  };
  const job = purgeAccountJob({ db, ring: service.ring, queue: { enqueue } });
  if (job.subjectOf) throw new Error('It would need a lease');
  return job;
};

/** Whether it came to its end. */
const purgeUntilDeath = (accountId: string, nth: number): Promise<boolean> =>
  workerThatDiesAt(nth)
    .run({ accountId }, new AbortController().signal)
    .then(
      () => true,
      () => false,
    );

const queuedFor = async (accountId: string, name: string): Promise<number> => {
  const [row] = await scene.db.$client`
    select count(*)::int as jobs from pgboss.job
    where name = ${name} and data ->> 'accountId' = ${accountId}`;
  return row.jobs;
};

test('whenever a worker dies in the purge of an account, another brings it to its end', async () => {
  const place = await scene.newPlace();
  const { accountId, platformId } = place.owner;
  await createListing(place.owner, { title: 'A canary' });
  await scene.addMembers(place, members);
  const body = { confirm: `user-${platformId}` };
  expect((await place.owner.call('DELETE', '/api/v1/account', { body })).status).toBe(200);
  let deaths = 0;
  for (let isOver = false; !isOver && deaths < 20; ) {
    isOver = await purgeUntilDeath(accountId, deaths);
    if (!isOver) deaths++;
  }
  // Fewer than there are jobs: what one worker handed over the next does not find any more.
  expect(deaths).toBeGreaterThan(2);
  expect(await queuedFor(accountId, 'vault.revoke')).toBe(members);
  expect(await queuedFor(accountId, 'account.finish')).toBe(1);
  const told = await scene.db.$client`
    select title from listings where seller_id = ${accountId} and title <> 'Deleted listing'`;
  expect(told.length).toBe(0);
  const { entries, ...rest } = await verifyChain(scene.db, accountId, { isOfDeleted: true });
  expect(rest).toEqual({ intact: true, contentsRemoved: entries });
  expect(await verifyChain(scene.db, accountId)).toMatchObject({ intact: false });
  await scene.db.$client`
    update audit_entries set hash = ${'0'.repeat(64)} where account_id = ${accountId} and seq = 1`;
  const broken = await verifyChain(scene.db, accountId, { isOfDeleted: true });
  expect(broken).toMatchObject({ intact: false, fault: { seq: 2, reason: 'does not follow' } });
}, 60_000);

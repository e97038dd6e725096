import { afterAll, beforeAll, expect, test } from 'bun:test';
import { isFullSize } from '../../harness/full-size.ts';
import { noResults } from '../../harness/pulls/fixture.ts';
import { startReturnElsewhere } from '../../harness/pulls/return-elsewhere.ts';

const count = isFullSize ? 10_000 : 2000;

let scene: Awaited<ReturnType<typeof startReturnElsewhere>>;
beforeAll(async () => {
  scene = await startReturnElsewhere(count);
}, 600_000);
afterAll(() => scene.stop());

test(`${count} members come back to another guild as they were, though a worker is killed and the pull is cancelled on the way`, async () => {
  const first = await scene.startWorker();
  const pullId = await scene.begin();
  await scene.untilProcessed(pullId, count / 4);
  first.kill('SIGKILL');
  await scene.startWorker();
  await scene.untilProcessed(pullId, count / 2);
  await scene.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
  const cancelled = await scene.ended(pullId);
  expect(cancelled.status).toBe('cancelled');
  expect(cancelled.processed).toBeLessThan(count);

  const resumed = await scene.owner.call('POST', `/api/v1/pulls/${pullId}/resume`);
  expect(resumed.status).toBe(202);
  const pull = await scene.ended(pullId);
  expect(pull).toMatchObject({
    ...{ status: 'completed', total: count, rolesFromBackupId: scene.backup.id },
    results: { ...noResults, joined: count },
  });
  const { joins, repeated, edits } = await scene.calls();
  expect(joins.size).toBe(count);
  expect([...joins.values()].every((times) => times === 1)).toBe(true);
  // Only the call whose answer the killed worker did not get is repeated.
  expect(repeated.size).toBeLessThanOrEqual(1);
  expect(edits).toBe(0);
  await scene.expectWhole();
  expect(pull.warnings.map((line: string) => /role (\w+)/.exec(line)?.[1]).sort()).toEqual([
    ...['Captain', 'Helper', 'Mate'],
  ]);
}, 600_000);

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { noResults } from '../../harness/pulls/fixture.ts';
import { startReturnElsewhere } from '../../harness/pulls/return-elsewhere.ts';

const count = 10_000;
/** A bot keeps to fifty calls a second. */
const withinMs = 900_000;

let scene: Awaited<ReturnType<typeof startReturnElsewhere>>;
beforeAll(async () => {
  scene = await startReturnElsewhere(count);
}, 300_000);
afterAll(() => scene.stop());

test('ten thousand members come back to another guild as they were, one call each, though the worker is killed', async () => {
  const first = await scene.startWorker();
  const pullId = await scene.begin();
  await scene.untilProcessed(pullId, count / 3, withinMs);
  first.kill('SIGKILL');
  await scene.startWorker();
  await scene.untilProcessed(pullId, count / 2, withinMs);
  await scene.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
  expect((await scene.ended(pullId, withinMs)).status).toBe('cancelled');
  const resumed = await scene.owner.call('POST', `/api/v1/pulls/${pullId}/resume`);
  expect(resumed.status).toBe(202);
  const pull = await scene.ended(pullId, withinMs);
  expect(pull.results).toEqual({ ...noResults, joined: count });
  const { joins, repeated, edits } = await scene.calls();
  expect(joins.size).toBe(count);
  expect([...joins.values()].every((times) => times === 1)).toBe(true);
  expect(repeated.size).toBeLessThanOrEqual(1);
  expect(edits).toBe(0);
  await scene.expectWhole();
}, 1_800_000);

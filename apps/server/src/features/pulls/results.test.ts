import { afterAll, beforeAll, expect, test } from 'bun:test';
import { noResults, type PullScene, startPullScene } from '../../../test/pull-scene.ts';
import { storeResult } from './members/queries.ts';
import { pullMembers } from './table.ts';

let scene: PullScene;
beforeAll(async () => {
  scene = await startPullScene({ doesWork: false });
}, 60_000);
afterAll(() => scene.stop());

test('a result that is stored already is not counted again, and stays what it was', async () => {
  const place = await scene.newPlace();
  const [member] = await scene.addMembers(place, 1);
  const pullId = await scene.begin(place);
  const owner = { accountId: place.owner.accountId, pullId };
  const row = { pullId, seq: 1, memberId: member?.id ?? null, isForeign: false };
  await scene.db.insert(pullMembers).values(row);
  const store = (result: 'joined' | 'failed') =>
    scene.db.transaction((tx) => storeResult(tx, owner, { seq: 1, result }));
  await Promise.all([store('joined'), store('joined'), store('joined')]);
  await store('failed');
  const { processed, results } = await scene.read(place, pullId);
  expect({ processed, results }).toEqual({ processed: 1, results: { ...noResults, joined: 1 } });
  expect(Object.values(await scene.results(pullId))).toEqual(['joined']);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer, randomPlatformId } from '../../../../test/harness.ts';
import { countsOf, newPlace } from '../../../../test/member-rows.ts';
import { type PeopleScene, startPeopleScene } from '../../../../test/people-scene.ts';
import { findTokens } from '../../vault/queries.ts';
import { purgeMembersAndTokens } from './purge-members.ts';

let scene: PeopleScene;
beforeAll(async () => {
  scene = await startPeopleScene();
}, 60_000);
afterAll(() => scene.stop());

test('with a deleted server go its members and the tokens that no other server counts on', async () => {
  const { db } = scene.service;
  const gone = await newPlace(scene.service);
  const kept = { owner: gone.owner, serverId: await createServer(gone.owner) };
  const foreign = await newPlace(scene.service);
  const [both, alone] = [randomPlatformId(), randomPlatformId()];
  const [elsewhere, without] = [randomPlatformId(), randomPlatformId()];
  const wanted = [
    await scene.addMember(gone, both).then(() => scene.addMember(kept, both)),
    await scene.addMember(gone, elsewhere).then(() => scene.addMember(foreign, elsewhere)),
  ];
  const unwanted = [
    await scene.addMember(gone, alone),
    // Verified on the other server too, but without leave to be brought back.
    await scene.addMember(gone, without),
  ];
  const declined = { botId: null, tokenStatus: 'NONE', consentedAt: null } as const;
  await scene.addMember(kept, without, declined);

  const purge = () => db.transaction((tx) => purgeMembersAndTokens(tx, gone.serverId, 3));
  expect([await purge(), await purge(), await purge()]).toEqual([3, 1, 0]);
  expect(await countsOf(gone)).toEqual([0, 0]);
  expect(await countsOf(kept)).toEqual([2, 1]);
  for (const { owner } of wanted) expect(await findTokens(db, owner)).toBeDefined();
  for (const { owner } of unwanted) expect(await findTokens(db, owner)).toBeUndefined();
});

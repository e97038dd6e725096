import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomPlatformId } from '../../../test/harness.ts';
import { newPlace } from '../../../test/member-rows.ts';
import { type PeopleScene, startPeopleScene } from '../../../test/people-scene.ts';
import { keepFirstTokens } from './keep-first-tokens.ts';
import { findTokens } from './queries.ts';
import { openToken } from './sealed.ts';

let scene: PeopleScene;
beforeAll(async () => {
  scene = await startPeopleScene();
}, 60_000);
afterAll(() => scene.stop());

test('the first tokens of more people than one statement holds are all kept, and older ones stay', async () => {
  const { db, ring } = scene.service;
  const known = await scene.addMember(await newPlace(scene.service), randomPlatformId());
  const { accountId, botId, clientId, platformId } = known.owner;
  const pair = await scene.agreeTo(clientId, platformId);
  const strangers = Array.from({ length: 1200 }, () => ({
    ...pair,
    platformId: randomPlatformId(),
  }));
  const given = [...strangers.slice(0, 600), { ...pair, platformId }, ...strangers.slice(600)];
  const kept = await db.transaction((tx) =>
    keepFirstTokens(tx, scene.vault, { accountId, botId }, given),
  );
  expect(kept).toBe(1200);

  const before = await findTokens(db, known.owner);
  if (!before) throw new Error('No tokens');
  expect(openToken(ring, before, 'accessToken').reveal()).toBe(known.pair.accessToken.reveal());
  for (const stranger of strangers) {
    const row = await findTokens(db, { accountId, botId, platformId: stranger.platformId });
    if (!row) throw new Error('No tokens');
    expect(openToken(ring, row, 'refreshToken').reveal()).toBe(pair.refreshToken.reveal());
    expect([row.scopes, row.expiresAt]).toEqual([pair.scopes, pair.expiresAt]);
  }
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import { newServer } from '../../../../test/harness/members.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { findTokens } from '../queries.ts';
import { openToken } from './sealed.ts';
import { storeFirstTokens } from './store.ts';

let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture();
});
afterAll(() => fixture.stop());

test('the first tokens of more people than one statement holds are all stored, and older ones stay', async () => {
  const { db, ring } = fixture.service;
  const known = await fixture.addMember(await newServer(fixture.service), randomPlatformId());
  const { accountId, botId, clientId, platformId } = known.owner;
  const pair = await fixture.agreeTo(clientId, platformId);
  const strangers = Array.from({ length: 1200 }, () => ({
    ...pair,
    platformId: randomPlatformId(),
  }));
  const given = [...strangers.slice(0, 600), { ...pair, platformId }, ...strangers.slice(600)];
  const kept = await db.transaction((tx) =>
    storeFirstTokens(tx, fixture.vault, { accountId, botId }, given),
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

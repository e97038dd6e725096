import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import { countsOf, newServer } from '../../../../test/harness/members.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { findTokens } from '../../vault/queries.ts';
import { purgeMembersAndTokens } from './purge-members.ts';

let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture();
});
afterAll(() => fixture.stop());

test('purging a deleted server deletes its members and the tokens that no other server needs', async () => {
  const { db } = fixture.service;
  const gone = await newServer(fixture.service);
  const kept = { owner: gone.owner, serverId: await createServer(gone.owner) };
  const foreign = await newServer(fixture.service);
  const [both, alone] = [randomPlatformId(), randomPlatformId()];
  const [elsewhere, without] = [randomPlatformId(), randomPlatformId()];
  const needed = [
    await fixture.addMember(gone, both).then(() => fixture.addMember(kept, both)),
    await fixture.addMember(gone, elsewhere).then(() => fixture.addMember(foreign, elsewhere)),
  ];
  const unneeded = [
    await fixture.addMember(gone, alone),
    // Verified on the other server too, but without consent to recovery.
    await fixture.addMember(gone, without),
  ];
  const declined = { botId: null, tokenStatus: 'NONE', consentedAt: null } as const;
  await fixture.addMember(kept, without, declined);

  const purge = () => db.transaction((tx) => purgeMembersAndTokens(tx, gone.serverId, 3));
  expect([await purge(), await purge(), await purge()]).toEqual([3, 1, 0]);
  expect(await countsOf(gone)).toEqual([0, 0]);
  expect(await countsOf(kept)).toEqual([2, 1]);
  for (const { owner } of needed) expect(await findTokens(db, owner)).toBeDefined();
  for (const { owner } of unneeded) expect(await findTokens(db, owner)).toBeUndefined();
});

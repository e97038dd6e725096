import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  noResults,
  type PullFixture,
  startPullFixture,
} from '../../../../test/harness/pulls/fixture.ts';
import { pullMembers } from '../table.ts';
import { storeResult } from './members.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture({ doesWork: false });
});
afterAll(() => fixture.stop());

test('a result that is stored already is not counted again, and stays what it was', async () => {
  const server = await fixture.newServer();
  const [member] = await fixture.addMembers(server, 1);
  const pullId = await fixture.begin(server);
  const owner = { accountId: server.owner.accountId, pullId };
  const row = { pullId, seq: 1, memberId: member?.id ?? null, isForeign: false };
  await fixture.db.insert(pullMembers).values(row);
  const store = (result: 'joined' | 'failed') =>
    fixture.db.transaction((tx) => storeResult(tx, owner, { seq: 1, result }));
  await Promise.all([store('joined'), store('joined'), store('joined')]);
  await store('failed');
  const { processed, results } = await fixture.read(server, pullId);
  expect({ processed, results }).toEqual({ processed: 1, results: { ...noResults, joined: 1 } });
  expect(Object.values(await fixture.results(pullId))).toEqual(['joined']);
});

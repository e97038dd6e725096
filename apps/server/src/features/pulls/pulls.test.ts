import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../test/eventually.ts';
import { createServer, randomPlatformId } from '../../../test/harness.ts';
import { noResults, type PullScene, startPullScene } from '../../../test/pull-scene.ts';
import { forgetCalledMembers } from './purge/queries.ts';

let scene: PullScene;
beforeAll(async () => {
  scene = await startPullScene();
}, 60_000);
afterAll(() => scene.stop());

const longAgo = '2020-01-01T00:00:00.000Z';

test('members who agreed are brought back, the newest first, and the record tells it', async () => {
  const place = await scene.newPlace();
  const members = await scene.addMembers(place, 12);
  await scene.addMember(place, { consentedAt: null });
  const pull = await scene.pull(place);
  expect(pull).toMatchObject({
    ...{ serverId: place.serverId, targetServerId: place.serverId, roleId: null, error: null },
    ...{ status: 'completed', progress: 100, etaSeconds: 0, total: 12, processed: 12 },
    results: { ...noResults, joined: 12 },
  });
  expect(Date.parse(pull.completedAt)).toBeGreaterThanOrEqual(Date.parse(pull.startedAt));
  const called = (await scene.additions(place)).map(({ path }) => path.split('/').at(-1));
  expect(called).toEqual(members.map(({ platformId }) => platformId));
  expect((await scene.ask(place)).status).toBe(202);
});

test('everyone ends in the one result that is theirs', async () => {
  const place = await scene.newPlace();
  const people = await scene.addNamed(
    place,
    ...(['banned', 'capped', 'unknown', 'there', 'expired', 'unawares', 'revoked'] as const),
    ...(['tokenless', 'withdrawn', 'blacklisted', 'valid'] as const),
  );
  await scene.simulator.control('PUT', `/guilds/${place.guildId}`, {
    bans: [{ user: { id: people.banned.platformId } }],
    members: [{ user: { id: people.there.platformId }, joined_at: longAgo }],
  });
  await scene.setPerson(people.capped, { atGuildCap: true });
  await scene.setPerson(people.unknown, { unknown: true });
  await scene.setPerson(people.expired, { tokenState: 'expired' });
  await scene.expire(people.expired);
  await scene.setPerson(people.unawares, { tokenState: 'expired' });
  await scene.setPerson(people.revoked, { tokenState: 'revoked' });
  const { platformId: tokenless } = people.tokenless;
  await scene.db.$client`delete from member_tokens where platform_id = ${tokenless}`;
  // The first call takes so long that the last ones can think better of it meanwhile.
  await scene.disturb(place, { when: 'before', action: 'delay', ms: 1500 });
  const pullId = await scene.begin(place);
  await eventually(10_000, async () => expect((await scene.additions(place)).length).toBe(1));
  await scene.withdraw(place, people.withdrawn);
  await scene.blacklist(place, people.blacklisted);
  const pull = await scene.ended(place, pullId);
  expect(await scene.results(pullId)).toEqual({
    [people.banned.platformId]: 'banned',
    [people.capped.platformId]: 'guildLimit',
    [people.unknown.platformId]: 'failed',
    [people.there.platformId]: 'alreadyMember',
    [people.expired.platformId]: 'joined',
    [people.unawares.platformId]: 'joined',
    [people.revoked.platformId]: 'tokenInvalid',
    [people.tokenless.platformId]: 'tokenInvalid',
    [people.withdrawn.platformId]: 'withdrawn',
    [people.blacklisted.platformId]: 'blacklisted',
    [people.valid.platformId]: 'joined',
  });
  expect(pull).toMatchObject({
    ...{ status: 'completed', total: 11, processed: 11 },
    results: {
      ...{ joined: 3, alreadyMember: 1, banned: 1, guildLimit: 1 },
      ...{ tokenInvalid: 2, blacklisted: 1, withdrawn: 1, failed: 1 },
    },
  });
  const calls = (await scene.additions(place)).map(({ path }) => path.split('/').at(-1));
  expect(calls).not.toContain(people.withdrawn.platformId);
  expect(calls).not.toContain(people.blacklisted.platformId);
  expect(calls).not.toContain(tokenless);
  expect(calls.filter((id) => id === people.expired.platformId)).toHaveLength(1);
  expect(calls.filter((id) => id === people.unawares.platformId)).toHaveLength(2);
}, 60_000);

test('who erases themselves meanwhile counts as withdrawn, and the pull keeps no trace of them', async () => {
  const place = await scene.newPlace();
  const { erased } = await scene.addNamed(place, 'called', 'erased');
  await scene.disturb(place, { when: 'before', action: 'delay', ms: 1000 });
  const pullId = await scene.begin(place);
  await eventually(10_000, async () => expect((await scene.additions(place)).length).toBe(1));
  await scene.db.$client`delete from members where platform_id = ${erased.platformId}`;
  const pull = await scene.ended(place, pullId);
  expect(pull).toMatchObject({ total: 2, results: { ...noResults, joined: 1, withdrawn: 1 } });
  const rows = await scene.db.$client`
    select member_id from pull_members where pull_id = ${pullId} order by seq`;
  expect(rows.map(({ member_id }: { member_id: string | null }) => member_id)[1]).toBeNull();
});

test('consent that is withdrawn while the call waits for its bucket keeps the call from being made', async () => {
  const place = await scene.newPlace();
  const people = await scene.addNamed(place, 'first', 'second', 'third');
  const slowness = await scene.slowDown(1, 3000);
  const pullId = await scene.begin(place);
  await scene.untilProcessed(place, pullId, 1);
  await Bun.sleep(500);
  await scene.withdraw(place, people.second);
  const pull = await scene.ended(place, pullId);
  await slowness.end();
  expect(pull.results).toEqual({ ...noResults, joined: 2, withdrawn: 1 });
  const calls = await scene.additions(place);
  expect(calls.map(({ status }) => status)).toEqual([201, 201]);
  expect(calls.at(-1)?.path).toEndWith(people.third.platformId);
}, 60_000);

test('members of one server can be called to another of the same owner, and nobody else’s', async () => {
  const place = await scene.newPlace();
  const [target, stranger] = [await scene.newPlace({}, place.owner), await scene.newPlace()];
  // The token was given to the first server's bot, which is in the target as well.
  const member = await scene.addMember(place);
  expect((await scene.ask(place, { targetServerId: stranger.serverId })).status).toBe(404);
  const pull = await scene.pull(place, { targetServerId: target.serverId });
  expect(pull).toMatchObject({
    ...{ status: 'completed', serverId: place.serverId, targetServerId: target.serverId },
    results: { ...noResults, joined: 1 },
  });
  const [call] = await scene.additions(target);
  expect(call).toMatchObject({ botId: place.clientId, status: 201 });
  expect(call?.path).toEndWith(member.platformId);
});

test('only as many as asked for, or only those who are named, are called', async () => {
  const place = await scene.newPlace();
  const other = await scene.newPlace({}, place.owner);
  const { first, second, third } = await scene.addNamed(place, 'first', 'second', 'third');
  const foreign = await scene.addMember(other);
  const limited = await scene.pull(place, { limit: 2 });
  expect(limited).toMatchObject({ total: 2, processed: 2 });
  expect(Object.keys(await scene.results(limited.id)).sort()).toEqual(
    [first.platformId, second.platformId].sort(),
  );
  const named = await scene.pull(place, { memberIds: [third.id, foreign.id, third.id] });
  expect(named).toMatchObject({ total: 1, results: { ...noResults, joined: 1 } });
});

test('a pull for which nobody is pullable is completed, and gives its cooldown back', async () => {
  const place = await scene.newPlace();
  await scene.addMember(place, { tokenStatus: 'REVOKED' });
  const since = (await scene.log()).length;
  const pull = await scene.pull(place);
  expect(pull).toMatchObject({
    ...{ status: 'completed', progress: 100, total: 0, processed: 0, etaSeconds: 0 },
    results: noResults,
  });
  expect((await scene.log()).slice(since)).toEqual([]);
  expect(await scene.hasCooldown(place)).toBe(false);
});

test('a target that moves to another guild is followed there', async () => {
  const place = await scene.newPlace();
  await scene.addMembers(place, 12);
  const slowness = await scene.slowDown(1, 300);
  const pullId = await scene.begin(place);
  await scene.untilProcessed(place, pullId, 3);
  const guildId = randomPlatformId();
  const path = `/api/v1/servers/${place.serverId}`;
  const moved = await place.owner.call('PUT', path, { body: { platformGuildId: guildId } });
  expect(moved.status).toBe(200);
  const before = (await scene.additions(place)).length;
  const pull = await scene.ended(place, pullId);
  await slowness.end();
  expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 12 } });
  expect((await scene.additions(place)).length).toBeLessThanOrEqual(before + 1);
  expect((await scene.additions({ guildId })).length).toBeGreaterThanOrEqual(12 - before - 1);
}, 60_000);

test('the account’s log tells of the beginning and the end of a pull, once each', async () => {
  const place = await scene.newPlace();
  await scene.addMember(place);
  const pull = await scene.pull(place);
  const entries = (await place.owner.call('GET', '/api/v1/audit')).body.data;
  const ofPull = entries.filter(
    ({ subject }: { subject: { id: string } }) => subject.id === pull.id,
  );
  expect(ofPull.map(({ action }: { action: string }) => action)).toEqual([
    'pull.end',
    'pull.create',
  ]);
  expect(ofPull[0]).toMatchObject({
    actor: { type: 'SYSTEM' },
    changes: { status: 'completed', total: 1, results: { ...noResults, joined: 1 } },
  });
});

test('a server deleted meanwhile: no further call, and its pulls are purged with it', async () => {
  const place = await scene.newPlace();
  await createServer(place.owner);
  await scene.addMembers(place, 30);
  const slowness = await scene.slowDown(1, 300);
  const pullId = await scene.begin(place);
  await scene.untilProcessed(place, pullId, 3);
  const gone = await place.owner.call('DELETE', `/api/v1/servers/${place.serverId}`);
  expect(gone.status).toBe(200);
  expect((await place.owner.call('GET', `/api/v1/pulls/${pullId}`)).status).toBe(404);
  const calls = (await scene.additions(place)).length;
  await Bun.sleep(1500);
  await slowness.end();
  expect((await scene.additions(place)).length).toBeLessThanOrEqual(calls + 1);
  await eventually(20_000, async () => {
    const left = await scene.db.$client`
      select (select count(*) from pulls where id = ${pullId})
        + (select count(*) from pull_members where pull_id = ${pullId})
        + (select count(*) from pull_cooldowns where server_id = ${place.serverId})
        + (select count(*) from servers where id = ${place.serverId}) as count`;
    expect(Number(left[0].count)).toBe(0);
  });
}, 60_000);

test('a month after a pull its sums are left, and no longer whom it called', async () => {
  const place = await scene.newPlace();
  await scene.addMembers(place, 3);
  const [old, recent] = [(await scene.pull(place)).id, (await scene.pull(place)).id];
  const { $client: sql } = scene.db;
  await sql`update pulls set completed_at = now() - interval '31 days' where id = ${old}`;
  expect(await forgetCalledMembers(scene.db, { afterDays: 30, most: 2 })).toBe(2);
  expect(await forgetCalledMembers(scene.db, { afterDays: 30, most: 2 })).toBe(1);
  expect([Object.keys(await scene.results(old)), Object.keys(await scene.results(recent))]).toEqual(
    [[], expect.arrayContaining([expect.any(String)])],
  );
  expect((await scene.read(place, old)).results.joined).toBe(3);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  noResults,
  type PullFixture,
  startPullFixture,
} from '../../../test/harness/pulls/fixture.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { deleteOldPullMembers } from './queries/purge.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

const longAgo = '2020-01-01T00:00:00.000Z';

test('members who consented are pulled, the newest first, and the record counts them', async () => {
  const server = await fixture.newServer();
  const members = await fixture.addMembers(server, 12);
  await fixture.addMember(server, { consentedAt: null });
  const pull = await fixture.pull(server);
  expect(pull).toMatchObject({
    ...{ serverId: server.serverId, targetServerId: server.serverId, roleId: null, error: null },
    ...{ status: 'completed', progress: 100, etaSeconds: 0, total: 12, processed: 12 },
    results: { ...noResults, joined: 12 },
  });
  expect(Date.parse(pull.completedAt)).toBeGreaterThanOrEqual(Date.parse(pull.startedAt));
  const called = (await fixture.additions(server)).map(({ path }) => path.split('/').at(-1));
  expect(called).toEqual(members.map(({ platformId }) => platformId));
  expect((await fixture.ask(server)).status).toBe(202);
});

test('every member ends in the right result', async () => {
  const server = await fixture.newServer();
  const people = await fixture.addNamed(
    server,
    ...(['banned', 'capped', 'unknown', 'there', 'expired', 'unawares', 'revoked'] as const),
    ...(['tokenless', 'withdrawn', 'blacklisted', 'valid'] as const),
  );
  await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, {
    bans: [{ user: { id: people.banned.platformId } }],
    members: [{ user: { id: people.there.platformId }, joined_at: longAgo }],
  });
  await fixture.setPerson(people.capped, { atGuildCap: true });
  await fixture.setPerson(people.unknown, { unknown: true });
  await fixture.setPerson(people.expired, { tokenState: 'expired' });
  await fixture.expire(people.expired);
  await fixture.setPerson(people.unawares, { tokenState: 'expired' });
  await fixture.setPerson(people.revoked, { tokenState: 'revoked' });
  const { platformId: tokenless } = people.tokenless;
  await fixture.db.$client`delete from member_tokens where platform_id = ${tokenless}`;
  // The first call takes so long that the last members can withdraw meanwhile.
  await fixture.disturb(server, { when: 'before', action: 'delay', ms: 1500 });
  const pullId = await fixture.begin(server);
  await eventually(10_000, async () => expect((await fixture.additions(server)).length).toBe(1));
  await fixture.withdraw(server, people.withdrawn);
  await fixture.blacklist(server, people.blacklisted);
  const pull = await fixture.ended(server, pullId);
  expect(await fixture.results(pullId)).toEqual({
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
  const calls = (await fixture.additions(server)).map(({ path }) => path.split('/').at(-1));
  expect(calls).not.toContain(people.withdrawn.platformId);
  expect(calls).not.toContain(people.blacklisted.platformId);
  expect(calls).not.toContain(tokenless);
  expect(calls.filter((id) => id === people.expired.platformId)).toHaveLength(1);
  expect(calls.filter((id) => id === people.unawares.platformId)).toHaveLength(2);
});

test('a person erased during the pull counts as withdrawn, and the pull keeps no trace of them', async () => {
  const server = await fixture.newServer();
  const { erased } = await fixture.addNamed(server, 'called', 'erased');
  await fixture.disturb(server, { when: 'before', action: 'delay', ms: 1000 });
  const pullId = await fixture.begin(server);
  await eventually(10_000, async () => expect((await fixture.additions(server)).length).toBe(1));
  await fixture.db.$client`delete from members where platform_id = ${erased.platformId}`;
  const pull = await fixture.ended(server, pullId);
  expect(pull).toMatchObject({ total: 2, results: { ...noResults, joined: 1, withdrawn: 1 } });
  const rows = await fixture.db.$client`
    select member_id from pull_members where pull_id = ${pullId} order by seq`;
  expect(rows.map(({ member_id }: { member_id: string | null }) => member_id)[1]).toBeNull();
});

test('consent that is withdrawn while the call waits for its bucket prevents the call', async () => {
  const server = await fixture.newServer();
  const people = await fixture.addNamed(server, 'first', 'second', 'third');
  const slowness = await fixture.slowDown(1, 3000);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, 1);
  await Bun.sleep(500);
  await fixture.withdraw(server, people.second);
  const pull = await fixture.ended(server, pullId);
  await slowness.end();
  expect(pull.results).toEqual({ ...noResults, joined: 2, withdrawn: 1 });
  const calls = await fixture.additions(server);
  expect(calls.map(({ status }) => status)).toEqual([201, 201]);
  expect(calls.at(-1)?.path).toEndWith(people.third.platformId);
});

test('members of one server can be pulled to another of the same owner, but to no other account’s', async () => {
  const server = await fixture.newServer();
  const [target, stranger] = [await fixture.newServer({}, server.owner), await fixture.newServer()];
  // The token was given to the first server's bot, which is in the target as well.
  const member = await fixture.addMember(server);
  expect((await fixture.ask(server, { targetServerId: stranger.serverId })).status).toBe(404);
  const pull = await fixture.pull(server, { targetServerId: target.serverId });
  expect(pull).toMatchObject({
    ...{ status: 'completed', serverId: server.serverId, targetServerId: target.serverId },
    results: { ...noResults, joined: 1 },
  });
  const [call] = await fixture.additions(target);
  expect(call).toMatchObject({ botId: server.clientId, status: 201 });
  expect(call?.path).toEndWith(member.platformId);
});

test('only as many members as requested, or only the named ones, are pulled', async () => {
  const server = await fixture.newServer();
  const other = await fixture.newServer({}, server.owner);
  const { first, second, third } = await fixture.addNamed(server, 'first', 'second', 'third');
  const foreign = await fixture.addMember(other);
  const limited = await fixture.pull(server, { limit: 2 });
  expect(limited).toMatchObject({ total: 2, processed: 2 });
  expect(Object.keys(await fixture.results(limited.id)).sort()).toEqual(
    [first.platformId, second.platformId].sort(),
  );
  const named = await fixture.pull(server, { memberIds: [third.id, foreign.id, third.id] });
  expect(named).toMatchObject({ total: 1, results: { ...noResults, joined: 1 } });
});

test('a pull without pullable members is completed, and releases its cooldown', async () => {
  const server = await fixture.newServer();
  await fixture.addMember(server, { tokenStatus: 'REVOKED' });
  const since = (await fixture.log()).length;
  const pull = await fixture.pull(server);
  expect(pull).toMatchObject({
    ...{ status: 'completed', progress: 100, total: 0, processed: 0, etaSeconds: 0 },
    results: noResults,
  });
  expect((await fixture.log()).slice(since)).toEqual([]);
  expect(await fixture.hasCooldown(server)).toBe(false);
});

test('a pull all of whose members have a result keeps its cooldown, though none of them was called', async () => {
  const server = await fixture.newServer();
  const { platformId } = await fixture.addMember(server);
  await fixture.db.$client`delete from member_tokens where platform_id = ${platformId}`;
  const { results } = await fixture.pull(server);
  expect(results).toEqual({ ...noResults, tokenInvalid: 1 });
  expect(await fixture.additions(server)).toEqual([]);
  expect(await fixture.hasCooldown(server)).toBe(true);
});

test('a pull follows a target that moves to another guild', async () => {
  const server = await fixture.newServer();
  await fixture.addMembers(server, 12);
  const slowness = await fixture.slowDown(1, 300);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, 3);
  const guildId = randomPlatformId();
  const path = `/api/v1/servers/${server.serverId}`;
  const moved = await server.owner.call('PUT', path, { body: { platformGuildId: guildId } });
  expect(moved.status).toBe(200);
  const before = (await fixture.additions(server)).length;
  const pull = await fixture.ended(server, pullId);
  await slowness.end();
  expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 12 } });
  expect((await fixture.additions(server)).length).toBeLessThanOrEqual(before + 1);
  expect((await fixture.additions({ guildId })).length).toBeGreaterThanOrEqual(12 - before - 1);
});

test('the audit log has the creation and the end of a pull, once each', async () => {
  const server = await fixture.newServer();
  await fixture.addMember(server);
  const pull = await fixture.pull(server);
  const entries = (await server.owner.call('GET', '/api/v1/audit')).body.data;
  const ofPull = entries.filter(
    ({ subject }: { subject: { id: string } }) => subject.id === pull.id,
  );
  expect(ofPull.map(({ action }: { action: string }) => action)).toEqual([
    'pull.end',
    'pull.create',
  ]);
  expect(ofPull[0]).toMatchObject({
    actor: { type: 'SYSTEM' },
    changes: {
      serverId: server.serverId,
      status: 'completed',
      total: 1,
      results: { ...noResults, joined: 1 },
    },
  });
});

test('a server that is deleted during its pull gets no further call, and its pulls are purged', async () => {
  const server = await fixture.newServer();
  await createServer(server.owner);
  await fixture.addMembers(server, 30);
  const slowness = await fixture.slowDown(1, 300);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, 3);
  const gone = await server.owner.call('DELETE', `/api/v1/servers/${server.serverId}`);
  expect(gone.status).toBe(200);
  expect((await server.owner.call('GET', `/api/v1/pulls/${pullId}`)).status).toBe(404);
  const calls = (await fixture.additions(server)).length;
  await Bun.sleep(1500);
  await slowness.end();
  expect((await fixture.additions(server)).length).toBeLessThanOrEqual(calls + 1);
  await eventually(20_000, async () => {
    const left = await fixture.db.$client`
      select (select count(*) from pulls where id = ${pullId})
        + (select count(*) from pull_members where pull_id = ${pullId})
        + (select count(*) from pull_cooldowns where server_id = ${server.serverId})
        + (select count(*) from servers where id = ${server.serverId}) as count`;
    expect(Number(left[0].count)).toBe(0);
  });
});

test('a month after a pull its counts are left, and its members are deleted', async () => {
  const server = await fixture.newServer();
  await fixture.addMembers(server, 3);
  const [old, recent] = [(await fixture.pull(server)).id, (await fixture.pull(server)).id];
  const { $client: sql } = fixture.db;
  await sql`update pulls set completed_at = now() - interval '31 days' where id = ${old}`;
  expect(await deleteOldPullMembers(fixture.db, { afterDays: 30, limit: 2 })).toBe(2);
  expect(await deleteOldPullMembers(fixture.db, { afterDays: 30, limit: 2 })).toBe(1);
  expect([
    Object.keys(await fixture.results(old)),
    Object.keys(await fixture.results(recent)),
  ]).toEqual([[], expect.arrayContaining([expect.any(String)])]);
  expect((await fixture.read(server, old)).results.joined).toBe(3);
});

// Takes about 34 s: started before shorter ones.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectBelow } from '../../../../test/harness/bounds.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  countByPerson,
  noResults,
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../../test/harness/pulls/fixture.ts';
import { runPull } from '../jobs.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

const longAgo = '2020-01-01T00:00:00.000Z';

describe('a pull that is cancelled', () => {
  test('ends within about a second, also while it waits for its bucket', async () => {
    const server = await fixture.newServer();
    await fixture.addMembers(server, 5);
    const slowness = await fixture.slowDown(2, 8000);
    const pullId = await fixture.begin(server);
    await fixture.untilProcessed(server, pullId, 2);
    const askedAt = performance.now();
    const asked = await server.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
    expect(asked.status).toBe(200);
    const pull = await fixture.ended(server, pullId);
    expectBelow(performance.now() - askedAt, 5000);
    expect(pull).toMatchObject({
      ...{ status: 'cancelled', progress: 40, total: 5, etaSeconds: null, error: null },
      results: { ...noResults, joined: 2 },
    });
    await slowness.end();
    await Bun.sleep(1500);
    expect(await fixture.additions(server)).toHaveLength(2);
    expect(await fixture.hasCooldown(server)).toBe(true);
    expect((await server.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`)).status).toBe(409);
    expect((await fixture.pull(server)).results).toEqual({
      ...noResults,
      ...{ joined: 3, alreadyMember: 2 },
    });
  });

  test('waits for the answer to a call that was sent, so that no outcome is lost', async () => {
    const server = await fixture.newServer();
    await fixture.addMembers(server, 3);
    await fixture.disturb(server, { nth: 2, when: 'afterApply', action: 'delay', ms: 2500 });
    const pullId = await fixture.begin(server);
    await eventually(10_000, async () => expect(await fixture.additions(server)).toHaveLength(2));
    await server.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
    const pull = await fixture.ended(server, pullId);
    expect(pull).toMatchObject({ status: 'cancelled', results: { ...noResults, joined: 2 } });
    expect(await fixture.additions(server)).toHaveLength(2);
  });
});

test('a bot that its owner switches off during the pull makes no further call', async () => {
  const server = await fixture.newServer();
  await fixture.addMembers(server, 20);
  const slowness = await fixture.slowDown(1, 200);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, 3);
  const off = { body: { isActive: false } };
  expect((await server.owner.call('PUT', `/api/v1/bots/${server.botId}`, off)).status).toBe(200);
  const calls = (await fixture.additions(server)).length;
  const pull = await fixture.ended(server, pullId);
  await slowness.end();
  expect(pull).toMatchObject({ status: 'failed', error: 'The bot is switched off' });
  expect((await fixture.additions(server)).length).toBeLessThanOrEqual(calls + 1);
});

describe('a call whose outcome is unknown', () => {
  test('that took effect is repeated, and counts as joined once', async () => {
    const server = await fixture.newServer();
    const { first, second } = await fixture.addNamed(server, 'first', 'second');
    await fixture.disturb(server, { nth: 1, when: 'afterApply', action: 'reset' });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 2 } });
    const answers = (await fixture.additions(server)).map(({ path, status, applied }) => [
      path.split('/').at(-1),
      status,
      applied,
    ]);
    expect(answers).toEqual([
      [first.platformId, null, true],
      [first.platformId, 204, true],
      [second.platformId, 201, true],
    ]);
  });

  test('for a person who joined long before counts as already a member', async () => {
    const server = await fixture.newServer();
    const { there } = await fixture.addNamed(server, 'there');
    await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, {
      members: [{ user: { id: there.platformId }, joined_at: longAgo }],
    });
    await fixture.disturb(server, { nth: 1, when: 'afterApply', action: 'reset' });
    const pull = await fixture.pull(server);
    expect(pull.results).toEqual({ ...noResults, alreadyMember: 1 });
  });
});

describe('an answer that does not come', () => {
  test('for one member alone fails only that member, after a second try', async () => {
    const server = await fixture.newServer();
    const { dropped, other } = await fixture.addNamed(server, 'dropped', 'other');
    // Four attempts in the first round, and four in the second, which comes after all others.
    await fixture.disturb(server, {
      nth: 1,
      times: 4,
      when: 'before',
      action: 'status',
      status: 502,
    });
    await fixture.disturb(server, {
      nth: 6,
      times: 4,
      when: 'before',
      action: 'status',
      status: 502,
    });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({
      status: 'completed',
      results: { ...noResults, joined: 1, failed: 1 },
    });
    expect(await fixture.results(pull.id)).toEqual({
      [dropped.platformId]: 'failed',
      [other.platformId]: 'joined',
    });
  });

  test('for any member is waited for, and then all members join', async () => {
    const server = await fixture.newServer();
    await fixture.addMembers(server, 6);
    // Four attempts for each of five members, and once more after a pause.
    await fixture.disturb(server, {
      ...{ nth: 2, times: 40, when: 'before', action: 'status', status: 503 },
    });
    const pull = await fixture.ended(server, await fixture.begin(server), 90_000);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 6 } });
    const joins = countByPerson(await fixture.additions(server), 201);
    expect([...joins.values()]).toEqual(Array(6).fill(1));
  });

  test('for the last member does not fail them while the platform answers nothing at all', async () => {
    const server = await fixture.newServer();
    await fixture.addMember(server);
    // The two reads before the first call pass; then four attempts and a read, twice over.
    await fixture.simulator.control('POST', '/faults', {
      match: { guildId: server.guildId },
      ...{ nth: 3, times: 10, when: 'before', action: 'status', status: 500 },
    });
    const pull = await fixture.ended(server, await fixture.begin(server), 60_000);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 1 } });
  }, 240_000);

  test('before the first member is waited for as well', async () => {
    const server = await fixture.newServer();
    await fixture.addMember(server);
    await fixture.simulator.control('POST', '/faults', {
      match: { method: 'GET', guildId: server.guildId },
      ...{ times: 4, when: 'before', action: 'status', status: 500 },
    });
    expect((await fixture.pull(server)).results).toEqual({ ...noResults, joined: 1 });
  });

  test('for a refresh leaves the member for a second try', async () => {
    const server = await fixture.newServer();
    const { expired } = await fixture.addNamed(server, 'expired', 'other');
    await fixture.setPerson(expired, { tokenState: 'expired' });
    await fixture.expire(expired);
    await fixture.simulator.control('POST', '/faults', {
      match: { method: 'POST', route: '/oauth2/token' },
      ...{ times: 1, when: 'before', action: 'status', status: 500 },
    });
    expect((await fixture.pull(server)).results).toEqual({ ...noResults, joined: 2 });
  });
});

test('a token that cannot be decrypted fails only its member', async () => {
  const server = await fixture.newServer();
  const people = await fixture.addNamed(server, 'spoilt', 'spoiltAndExpired', 'fine');
  const { spoilt, spoiltAndExpired, fine } = people;
  await fixture.expire(spoiltAndExpired);
  const broken = [spoilt.platformId, spoiltAndExpired.platformId];
  const sql = fixture.db.$client;
  await sql`update member_tokens set access_token = refresh_token, refresh_token = access_token
            where platform_id in ${sql(broken)}`;
  const pull = await fixture.pull(server);
  expect(pull.status).toBe('completed');
  expect(await fixture.results(pull.id)).toEqual({
    [spoilt.platformId]: 'failed',
    [spoiltAndExpired.platformId]: 'failed',
    [fine.platformId]: 'joined',
  });
});

test('a pull waits longer than a minute where the platform asks for it, without a call, and can be cancelled', async () => {
  const server = await fixture.newServer();
  await fixture.addMembers(server, 3);
  const slowness = await fixture.slowDown(1, 90_000);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, 1);
  await Bun.sleep(2500);
  expect(await fixture.read(server, pullId)).toMatchObject({ status: 'running', processed: 1 });
  await server.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
  const pull = await fixture.ended(server, pullId, 5000);
  await slowness.end();
  expect(pull).toMatchObject({ status: 'cancelled', results: { ...noResults, joined: 1 } });
  expect((await fixture.additions(server)).map(({ status }) => status)).toEqual([201]);
});

test('a pull whose connections to the database are all cut goes on, and adds nobody twice', async () => {
  const server = await fixture.newServer();
  await fixture.addMembers(server, 30);
  const slowness = await fixture.slowDown(1, 150);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, 5);
  const seen: number[] = [];
  await cutConnections();
  const pull = await eventually(60_000, async () => {
    const { data } = (await server.owner.call('GET', `/api/v1/pulls/${pullId}`)).body;
    seen.push(data.progress);
    expect(data.status).toBe('completed');
    return data;
  });
  await slowness.end();
  expect(pull.results).toEqual({ ...noResults, joined: 30 });
  expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  const joins = countByPerson(await fixture.additions(server), 201);
  expect([...joins.values()]).toEqual(Array(30).fill(1));
}, 240_000);

const cutConnections = async () => {
  await fixture.db.$client`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
};

describe('what an earlier worker left', () => {
  /** As it stored it before it died: the selected members, and whose call was made. */
  const leaveBehind = async (server: PullServer, begun: string[]) => {
    const idle = await fixture.ask(server, { memberIds: [] });
    const pullId: string = idle.body.data.id;
    await fixture.ended(server, pullId);
    const sql = fixture.db.$client;
    await sql`insert into pull_members (pull_id, seq, member_id, is_foreign, begun_at)
      select ${pullId}, row_number() over (order by verified_at desc), id, false,
        case when platform_id in ${sql(begun)} then now() end
      from members where server_id = ${server.serverId}`;
    await sql`update pulls set status = 'running', completed_at = null,
      total = (select count(*) from pull_members where pull_id = ${pullId}) where id = ${pullId}`;
    const payload = { pullId, accountId: server.owner.accountId, botId: server.botId };
    await fixture.db.transaction((tx) => fixture.service.queue.enqueue(tx, runPull, payload));
    return pullId;
  };

  test('is continued: a person who joined by its last call counts as joined, one who was there before does not', async () => {
    const server = await fixture.newServer();
    const names = ['joined', 'there', 'left', 'untried'] as const;
    const people = await fixture.addNamed(server, ...names);
    const { joined, there, left, untried } = people;
    await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, {
      members: [
        { user: { id: joined.platformId } },
        { user: { id: there.platformId }, joined_at: longAgo },
      ],
    });
    const begun = [joined, there, left].map(({ platformId }) => platformId);
    const pullId = await leaveBehind(server, begun);
    const pull = await fixture.ended(server, pullId);
    expect(pull).toMatchObject({ status: 'completed', total: 4, processed: 4 });
    expect(await fixture.results(pullId)).toEqual({
      [joined.platformId]: 'joined',
      [there.platformId]: 'alreadyMember',
      [left.platformId]: 'joined',
      [untried.platformId]: 'joined',
    });
  });
});

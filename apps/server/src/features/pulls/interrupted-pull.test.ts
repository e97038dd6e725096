import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectBelow } from '../../../test/bounds.ts';
import { eventually } from '../../../test/eventually.ts';
import {
  countByPerson,
  noResults,
  type PullPlace,
  type PullScene,
  startPullScene,
} from '../../../test/pull-scene.ts';
import { runPull } from './jobs.ts';

let scene: PullScene;
beforeAll(async () => {
  scene = await startPullScene();
}, 60_000);
afterAll(() => scene.stop());

const longAgo = '2020-01-01T00:00:00.000Z';

describe('a pull that is cancelled', () => {
  test('ends within about a second, also while it waits for its bucket', async () => {
    const place = await scene.newPlace();
    await scene.addMembers(place, 5);
    const slowness = await scene.slowDown(2, 8000);
    const pullId = await scene.begin(place);
    await scene.untilProcessed(place, pullId, 2);
    const askedAt = performance.now();
    const asked = await place.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
    expect(asked.status).toBe(200);
    const pull = await scene.ended(place, pullId);
    expectBelow(performance.now() - askedAt, 5000);
    expect(pull).toMatchObject({
      ...{ status: 'cancelled', progress: 40, total: 5, etaSeconds: null, error: null },
      results: { ...noResults, joined: 2 },
    });
    await slowness.end();
    await Bun.sleep(1500);
    expect(await scene.additions(place)).toHaveLength(2);
    expect(await scene.hasCooldown(place)).toBe(true);
    expect((await place.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`)).status).toBe(409);
    expect((await scene.pull(place)).results).toEqual({
      ...noResults,
      ...{ joined: 3, alreadyMember: 2 },
    });
  }, 60_000);

  test('while a call is on its way waits for its answer, so that nobody’s outcome is lost', async () => {
    const place = await scene.newPlace();
    await scene.addMembers(place, 3);
    await scene.disturb(place, { nth: 2, when: 'afterApply', action: 'delay', ms: 2500 });
    const pullId = await scene.begin(place);
    await eventually(10_000, async () => expect(await scene.additions(place)).toHaveLength(2));
    await place.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
    const pull = await scene.ended(place, pullId);
    expect(pull).toMatchObject({ status: 'cancelled', results: { ...noResults, joined: 2 } });
    expect(await scene.additions(place)).toHaveLength(2);
  }, 30_000);
});

test('a bot that its owner switches off meanwhile makes no further call', async () => {
  const place = await scene.newPlace();
  await scene.addMembers(place, 20);
  const slowness = await scene.slowDown(1, 200);
  const pullId = await scene.begin(place);
  await scene.untilProcessed(place, pullId, 3);
  const off = { body: { isActive: false } };
  expect((await place.owner.call('PUT', `/api/v1/bots/${place.botId}`, off)).status).toBe(200);
  const calls = (await scene.additions(place)).length;
  const pull = await scene.ended(place, pullId);
  await slowness.end();
  expect(pull).toMatchObject({ status: 'failed', error: 'The bot is switched off' });
  expect((await scene.additions(place)).length).toBeLessThanOrEqual(calls + 1);
}, 60_000);

describe('a call whose outcome nobody knows', () => {
  test('that took effect is repeated, and counts as joined once', async () => {
    const place = await scene.newPlace();
    const { first, second } = await scene.addNamed(place, 'first', 'second');
    await scene.disturb(place, { nth: 1, when: 'afterApply', action: 'reset' });
    const pull = await scene.pull(place);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 2 } });
    const answers = (await scene.additions(place)).map(({ path, status, applied }) => [
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

  test('for one who was there long before counts as such', async () => {
    const place = await scene.newPlace();
    const { there } = await scene.addNamed(place, 'there');
    await scene.simulator.control('PUT', `/guilds/${place.guildId}`, {
      members: [{ user: { id: there.platformId }, joined_at: longAgo }],
    });
    await scene.disturb(place, { nth: 1, when: 'afterApply', action: 'reset' });
    const pull = await scene.pull(place);
    expect(pull.results).toEqual({ ...noResults, alreadyMember: 1 });
  });
});

describe('an answer that does not come', () => {
  test('for one member alone costs only that member, after a second try', async () => {
    const place = await scene.newPlace();
    const { dropped, other } = await scene.addNamed(place, 'dropped', 'other');
    // Four attempts to the first try, and four to the second, which comes after everybody else.
    await scene.disturb(place, { nth: 1, times: 4, when: 'before', action: 'status', status: 502 });
    await scene.disturb(place, { nth: 6, times: 4, when: 'before', action: 'status', status: 502 });
    const pull = await scene.pull(place);
    expect(pull).toMatchObject({
      status: 'completed',
      results: { ...noResults, joined: 1, failed: 1 },
    });
    expect(await scene.results(pull.id)).toEqual({
      [dropped.platformId]: 'failed',
      [other.platformId]: 'joined',
    });
  }, 60_000);

  test('to anybody is waited for, and then nobody is missing', async () => {
    const place = await scene.newPlace();
    await scene.addMembers(place, 6);
    // Four attempts for each of five members, and once more after a pause.
    await scene.disturb(place, {
      ...{ nth: 2, times: 40, when: 'before', action: 'status', status: 503 },
    });
    const pull = await scene.ended(place, await scene.begin(place), 90_000);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 6 } });
    const joins = countByPerson(await scene.additions(place), 201);
    expect([...joins.values()]).toEqual(Array(6).fill(1));
  }, 120_000);

  test('for the last member is no fault of theirs while the platform says nothing at all', async () => {
    const place = await scene.newPlace();
    await scene.addMember(place);
    // Its two questions before the first call pass; then four attempts and a look, twice over.
    await scene.simulator.control('POST', '/faults', {
      match: { guildId: place.guildId },
      ...{ nth: 3, times: 10, when: 'before', action: 'status', status: 500 },
    });
    const pull = await scene.ended(place, await scene.begin(place), 60_000);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 1 } });
  }, 90_000);

  test('before anybody was called is waited for as well', async () => {
    const place = await scene.newPlace();
    await scene.addMember(place);
    await scene.simulator.control('POST', '/faults', {
      match: { method: 'GET', guildId: place.guildId },
      ...{ times: 4, when: 'before', action: 'status', status: 500 },
    });
    expect((await scene.pull(place)).results).toEqual({ ...noResults, joined: 1 });
  }, 60_000);

  test('to a refresh leaves the member for a second try', async () => {
    const place = await scene.newPlace();
    const { expired } = await scene.addNamed(place, 'expired', 'other');
    await scene.setPerson(expired, { tokenState: 'expired' });
    await scene.expire(expired);
    await scene.simulator.control('POST', '/faults', {
      match: { method: 'POST', route: '/oauth2/token' },
      ...{ times: 1, when: 'before', action: 'status', status: 500 },
    });
    expect((await scene.pull(place)).results).toEqual({ ...noResults, joined: 2 });
  }, 60_000);
});

test('a token that does not open any more costs only the member whose it is', async () => {
  const place = await scene.newPlace();
  const people = await scene.addNamed(place, 'spoilt', 'spoiltAndExpired', 'fine');
  const { spoilt, spoiltAndExpired, fine } = people;
  await scene.expire(spoiltAndExpired);
  const broken = [spoilt.platformId, spoiltAndExpired.platformId];
  const sql = scene.db.$client;
  await sql`update member_tokens set access_token = refresh_token, refresh_token = access_token
            where platform_id in ${sql(broken)}`;
  const pull = await scene.pull(place);
  expect(pull.status).toBe('completed');
  expect(await scene.results(pull.id)).toEqual({
    [spoilt.platformId]: 'failed',
    [spoiltAndExpired.platformId]: 'failed',
    [fine.platformId]: 'joined',
  });
}, 60_000);

test('a wait of more than a minute is kept: nobody is given up, nobody is called, and it can be cancelled', async () => {
  const place = await scene.newPlace();
  await scene.addMembers(place, 3);
  const slowness = await scene.slowDown(1, 90_000);
  const pullId = await scene.begin(place);
  await scene.untilProcessed(place, pullId, 1);
  await Bun.sleep(2500);
  expect(await scene.read(place, pullId)).toMatchObject({ status: 'running', processed: 1 });
  await place.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
  const pull = await scene.ended(place, pullId, 5000);
  await slowness.end();
  expect(pull).toMatchObject({ status: 'cancelled', results: { ...noResults, joined: 1 } });
  expect((await scene.additions(place)).map(({ status }) => status)).toEqual([201]);
}, 60_000);

test('a pull whose connections to the database are all cut goes on, and repeats nobody', async () => {
  const place = await scene.newPlace();
  await scene.addMembers(place, 30);
  const slowness = await scene.slowDown(1, 150);
  const pullId = await scene.begin(place);
  await scene.untilProcessed(place, pullId, 5);
  const seen: number[] = [];
  await cutConnections();
  const pull = await eventually(60_000, async () => {
    const { data } = (await place.owner.call('GET', `/api/v1/pulls/${pullId}`)).body;
    seen.push(data.progress);
    expect(data.status).toBe('completed');
    return data;
  });
  await slowness.end();
  expect(pull.results).toEqual({ ...noResults, joined: 30 });
  expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  const joins = countByPerson(await scene.additions(place), 201);
  expect([...joins.values()]).toEqual(Array(30).fill(1));
}, 90_000);

const cutConnections = async () => {
  await scene.db.$client`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
};

describe('what an earlier worker left', () => {
  /** As it wrote it down before it died: who was settled, and whose call had left. */
  const leaveBehind = async (place: PullPlace, begun: string[]) => {
    const idle = await scene.ask(place, { memberIds: [] });
    const pullId: string = idle.body.data.id;
    await scene.ended(place, pullId);
    const sql = scene.db.$client;
    await sql`insert into pull_members (pull_id, seq, member_id, is_foreign, begun_at)
      select ${pullId}, row_number() over (order by verified_at desc), id, false,
        case when platform_id in ${sql(begun)} then now() end
      from members where server_id = ${place.serverId}`;
    await sql`update pulls set status = 'running', completed_at = null,
      total = (select count(*) from pull_members where pull_id = ${pullId}) where id = ${pullId}`;
    const payload = { pullId, accountId: place.owner.accountId, botId: place.botId };
    await scene.db.transaction((tx) => scene.service.queue.enqueue(tx, runPull, payload));
    return pullId;
  };

  test('is gone on with: who joined by its last call counts as joined, who was there before does not', async () => {
    const place = await scene.newPlace();
    const names = ['joined', 'there', 'left', 'untried'] as const;
    const people = await scene.addNamed(place, ...names);
    const { joined, there, left, untried } = people;
    await scene.simulator.control('PUT', `/guilds/${place.guildId}`, {
      members: [
        { user: { id: joined.platformId } },
        { user: { id: there.platformId }, joined_at: longAgo },
      ],
    });
    const begun = [joined, there, left].map(({ platformId }) => platformId);
    const pullId = await leaveBehind(place, begun);
    const pull = await scene.ended(place, pullId);
    expect(pull).toMatchObject({ status: 'completed', total: 4, processed: 4 });
    expect(await scene.results(pullId)).toEqual({
      [joined.platformId]: 'joined',
      [there.platformId]: 'alreadyMember',
      [left.platformId]: 'joined',
      [untried.platformId]: 'joined',
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  noResults,
  type PullFixture,
  startPullFixture,
} from '../../../../test/harness/pulls/fixture.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

const longAgo = '2020-01-01T00:00:00.000Z';

describe('the role', () => {
  const role = { id: '7001', name: 'Returned', permissions: '0' };

  test('is given to people who join and to people who are members already', async () => {
    const place = await fixture.newServer();
    const { there, newcomer } = await fixture.addNamed(place, 'there', 'newcomer');
    await fixture.simulator.control('PUT', `/guilds/${place.guildId}`, {
      roles: [role],
      members: [{ user: { id: there.platformId }, joined_at: longAgo }],
    });
    const pull = await fixture.pull(place, { roleId: role.id });
    expect(pull).toMatchObject({
      ...{ status: 'completed', roleId: role.id },
      results: { ...noResults, joined: 1, alreadyMember: 1 },
    });
    const { members } = await fixture.simulator.control('GET', `/guilds/${place.guildId}`);
    for (const { platformId } of [there, newcomer]) {
      const found = members.find(({ user }: { user: { id: string } }) => user.id === platformId);
      expect(found.roles).toEqual([role.id]);
    }
  });

  test.each<[string, object, RegExp]>([
    ['is not there', { roles: [] }, /role/],
    ['belongs to an integration', { roles: [{ ...role, managed: true }] }, /integration/],
    [
      'stands above the bot',
      { roles: [role], botAccess: { permissions: String(0x1 | 0x10000000), rolePosition: 1 } },
      /above/,
    ],
    ['may not be given by the bot', { roles: [role], botAccess: { permissions: '1' } }, /roles/],
  ])('that %s ends the pull before anybody is called', async (_, guild, sentence) => {
    const place = await fixture.newServer({ ...guild });
    await fixture.addMember(place);
    const pull = await fixture.pull(place, { roleId: role.id });
    expect(pull).toMatchObject({ status: 'failed', total: 1, processed: 0, results: noResults });
    expect(pull.error).toMatch(sentence);
    expect(await fixture.additions(place)).toEqual([]);
    expect(await fixture.hasCooldown(place)).toBe(false);
  });
});

test('a bot without the permission to invite ends the pull before the first call, with a message what to do', async () => {
  const place = await fixture.newServer();
  await fixture.simulator.control('PUT', `/guilds/${place.guildId}`, {
    roles: [{ id: place.guildId, permissions: '1024' }],
    botAccess: { permissions: '1024' },
  });
  await fixture.addMember(place);
  const pull = await fixture.pull(place);
  expect(pull).toMatchObject({ status: 'failed', processed: 0 });
  expect(pull.error).toMatch(/permission to create invites/);
  expect(await fixture.additions(place)).toEqual([]);
});

describe('a failure that concerns all members ends the pull at once', () => {
  test.each<[string, number, number, RegExp]>([
    ['access', 403, 50001, /not in the server/],
    ['the guild', 404, 10004, /does not know this server/],
    ['a permission', 403, 50013, /permission/],
    ['room in the server', 400, 30019, /full/],
  ])('of %s', async (_, status, code, sentence) => {
    const place = await fixture.newServer();
    await fixture.addMembers(place, 5);
    await fixture.disturb(place, {
      ...{ nth: 3, times: 1000, when: 'before', action: 'status', status },
      body: { code, message: 'no' },
    });
    const pull = await fixture.pull(place);
    expect(pull).toMatchObject({
      status: 'failed',
      total: 5,
      results: { ...noResults, joined: 2 },
    });
    expect(pull.error).toMatch(sentence);
    expect(await fixture.additions(place)).toHaveLength(3);
    const rows: { begun: boolean }[] = await fixture.db.$client`
      select begun_at is not null as begun from pull_members where pull_id = ${pull.id} order by seq`;
    expect(rows.map(({ begun }) => begun)).toEqual([true, true, false, false, false]);
    await fixture.simulator.control('DELETE', '/faults');
    const next = await fixture.pull(place);
    expect(next.results).toEqual({ ...noResults, joined: 3, alreadyMember: 2 });
  });

  test('of the bot’s token: not one call after the first 401, and the rest can be pulled later', async () => {
    const place = await fixture.newServer();
    await fixture.addMembers(place, 20);
    const slowness = await fixture.slowDown(1, 200);
    const pullId = await fixture.begin(place);
    await fixture.untilProcessed(place, pullId, 4);
    await fixture.simulator.control('PUT', `/bots/${place.clientId}`, { isDead: true });
    const pull = await fixture.ended(place, pullId);
    await slowness.end();
    expect(pull.status).toBe('failed');
    expect(pull.error).toMatch(/token/);
    await Bun.sleep(500);
    const calls = await fixture.additions(place);
    expect(calls.filter(({ status }) => status === 401)).toHaveLength(1);
    expect(calls.at(-1)?.status).toBe(401);
    expect(pull.results).toEqual({ ...noResults, joined: calls.length - 1 });

    await fixture.simulator.control('PUT', `/bots/${place.clientId}`, { isDead: false });
    const alive = { body: { botToken: `${btoa(place.clientId)}.other-token`, isActive: true } };
    expect((await place.owner.call('PUT', `/api/v1/bots/${place.botId}`, alive)).status).toBe(200);
    const next = await fixture.pull(place);
    expect(next).toMatchObject({ status: 'completed', total: 20, processed: 20 });
    expect(next.results.joined + pull.results.joined).toBe(20);
  });
});

describe('a member whose token belongs to another bot', () => {
  test('is added through that bot, after the others', async () => {
    const place = await fixture.newServer();
    const other = await fixture.newBot(place.owner);
    const given = await fixture.addMember({ ...place, ...other });
    const own = await fixture.addMember(place);
    const pull = await fixture.pull(place);
    expect(pull.results).toEqual({ ...noResults, joined: 2 });
    const calls = await fixture.additions(place);
    expect(calls.map(({ path, botId }) => [path.split('/').at(-1), botId])).toEqual([
      [own.platformId, place.clientId],
      [given.platformId, other.clientId],
    ]);
  });

  test('fails without a call where that bot is not in the target', async () => {
    const place = await fixture.newServer();
    const other = await fixture.newBot(place.owner);
    for (let left = 3; left > 0; left--) await fixture.addMember({ ...place, ...other });
    await fixture.addMember(place);
    const permissions = '8';
    const role = { id: '7002', name: 'Bot', permissions };
    await fixture.simulator.control('PUT', `/guilds/${place.guildId}`, {
      roles: [role],
      members: [{ user: { id: place.clientId }, roles: [role.id] }],
      botAccess: { isMember: false },
    });
    const pull = await fixture.pull(place);
    expect(pull).toMatchObject({
      status: 'completed',
      results: { ...noResults, joined: 1, failed: 3 },
    });
    expect((await fixture.additions(place)).map(({ botId }) => botId)).toEqual([place.clientId]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../test/harness/api-calls.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  countByPerson,
  noResults,
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../test/harness/pulls/fixture.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

const resume = ({ owner }: PullServer, pullId: string) =>
  owner.call('POST', `/api/v1/pulls/${pullId}/resume`);

const cancel = ({ owner }: PullServer, pullId: string) =>
  owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);

const full = { action: 'status', status: 400, body: { code: 30019, message: 'Full' } };
const lost = { action: 'reset' };

/** A pull of so many members that was cancelled when so many of them had a result. */
const cancelledPull = async (server: PullServer, members: number, processed: number) => {
  await fixture.addMembers(server, members);
  const slowness = await fixture.slowDown(1, 150);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, processed);
  expect((await cancel(server, pullId)).status).toBe(200);
  const pull = await fixture.ended(server, pullId);
  await slowness.end();
  expect(pull.status).toBe('cancelled');
  return pull;
};

test('a cancelled pull goes on with those who are left, as the same record and without a cooldown', async () => {
  const server = await fixture.newServer({}, await fixture.service.newTenant({ plan: 'FREE' }));
  const { id, processed } = await cancelledPull(server, 8, 2);
  expect(processed).toBeLessThan(8);
  expect((await fixture.ask(server)).status).toBe(429);
  const reply = await resume(server, id);
  expect(reply.status).toBe(202);
  expect(reply.body.data).toMatchObject({ id, status: 'queued', total: 8, processed, error: null });
  expect(reply.body.data.completedAt).toBeNull();
  expect(reply.body.data.etaSeconds).toBeGreaterThan(0);
  const pull = await fixture.ended(server, id);
  expect(pull).toMatchObject({ id, status: 'completed', total: 8, processed: 8 });
  expect(pull.results).toEqual({ ...noResults, joined: 8 });
  const calls = countByPerson(await fixture.additions(server), 201);
  expect([...calls.values()]).toEqual(Array(8).fill(1));
  expect((await resume(server, id)).status).toBe(409);
  const actions = (await auditOf(server.owner)).data.map(
    ({ action }: { action: string }) => action,
  );
  expect(actions.filter((action: string) => action.startsWith('pull.')).reverse()).toEqual([
    ...['pull.create', 'pull.cancel', 'pull.end', 'pull.resume', 'pull.end'],
  ]);
});

test('a failed pull goes on once its cause is gone, and results that are there stay', async () => {
  const server = await fixture.newServer();
  const people = await fixture.addNamed(server, 'capped', 'first', 'second');
  await fixture.setPerson(people.capped, { atGuildCap: true });
  await fixture.disturb(server, { nth: 2, when: 'before', ...full });
  const failed = await fixture.pull(server);
  expect(failed).toMatchObject({ status: 'failed', processed: 1, total: 3 });
  await fixture.setPerson(people.capped, { atGuildCap: false });
  expect((await resume(server, failed.id)).body.data.error).toBeNull();
  const pull = await fixture.ended(server, failed.id);
  expect(pull).toMatchObject({ status: 'completed', error: null });
  expect(pull.results).toEqual({ ...noResults, guildLimit: 1, joined: 2 });
  const called = (await fixture.additions(server)).map(({ path }) => path.split('/').at(-1));
  expect(called.filter((id) => id === people.capped.platformId)).toHaveLength(1);
});

describe('it is refused', () => {
  test('while the pull is under way, and where nobody is left', async () => {
    const server = await fixture.newServer();
    await fixture.addMembers(server, 3);
    const slowness = await fixture.slowDown(1, 400);
    const pullId = await fixture.begin(server);
    expect((await resume(server, pullId)).status).toBe(409);
    await slowness.end();
    await fixture.ended(server, pullId);
    expect((await resume(server, pullId)).status).toBe(409);
  });

  test('while another pull of the server is under way', async () => {
    const server = await fixture.newServer();
    const { id } = await cancelledPull(server, 4, 1);
    const slowness = await fixture.slowDown(1, 400);
    const other = await fixture.begin(server);
    expect((await resume(server, id)).status).toBe(409);
    await cancel(server, other);
    await fixture.ended(server, other);
    await slowness.end();
  });

  test('to all but one of several at once', async () => {
    const server = await fixture.newServer();
    const { id } = await cancelledPull(server, 4, 1);
    const replies = await Promise.all(Array.from({ length: 6 }, () => resume(server, id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    expect((await fixture.ended(server, id)).results).toEqual({ ...noResults, joined: 4 });
  });

  test('where the target is deleted', async () => {
    const server = await fixture.newServer();
    const target = await fixture.newServer({}, server.owner);
    await fixture.addMembers(server, 2);
    await fixture.simulator.control('PUT', `/guilds/${target.guildId}`, {
      botAccess: { isMember: false },
    });
    const pull = await fixture.pull(server, { targetServerId: target.serverId });
    expect(pull.status).toBe('failed');
    const gone = await server.owner.call('DELETE', `/api/v1/servers/${target.serverId}`);
    expect(gone.status).toBe(200);
    expect((await resume(server, pull.id)).status).toBe(409);
  });
});

test.each([
  ['the call was refused, which gives the cooldown back', [full], false],
  ['an answer was lost before the refusal, which keeps the cooldown', [lost, full], true],
])('a pull fails with nobody counted: %s', async (_, faults, hasCooldown) => {
  const server = await fixture.newServer();
  await fixture.addMembers(server, 1);
  for (const [at, fault] of faults.entries()) {
    await fixture.disturb(server, { nth: at + 1, when: 'before', ...fault });
  }
  const failed = await fixture.pull(server);
  expect(failed).toMatchObject({ status: 'failed', processed: 0 });
  expect(await fixture.additions(server)).toHaveLength(faults.length);
  expect(await fixture.hasCooldown(server)).toBe(hasCooldown);
});

test('a pull that tried nobody needs the cooldown that it got back, so that no store of pulls avoids it', async () => {
  const server = await fixture.newServer({}, await fixture.service.newTenant({ plan: 'FREE' }));
  await fixture.addMembers(server, 2);
  const { guildId } = server;
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
  const untried = await fixture.pull(server);
  expect(untried).toMatchObject({ status: 'failed', processed: 0 });
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, {});
  // As when the gateway tells that the bot is back.
  await fixture.db.$client`delete from refused_guilds where guild_id = ${guildId}`;
  expect((await fixture.pull(server)).results.joined).toBe(2);
  const reply = await resume(server, untried.id);
  expect(reply.status).toBe(429);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(60_000);
  await fixture.db.$client`delete from pull_cooldowns where server_id = ${server.serverId}`;
  const replies = await Promise.all([resume(server, untried.id), resume(server, untried.id)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(await fixture.hasCooldown(server)).toBe(true);
  await eventually(20_000, async () => {
    expect((await fixture.read(server, untried.id)).results.alreadyMember).toBe(2);
  });
});

test('a pull whose calls were made but not answered keeps its cooldown, and goes on without another', async () => {
  const server = await fixture.newServer({}, await fixture.service.newTenant({ plan: 'FREE' }));
  await fixture.addMembers(server, 5);
  const lost = { when: 'afterApply', action: 'status', status: 502 };
  await fixture.disturb(server, { ...lost, times: 1000 });
  const pullId = await fixture.begin(server);
  await eventually(20_000, async () => {
    const called = countByPerson(await fixture.additions(server), 502);
    expect(called.size).toBe(5);
  });
  expect((await cancel(server, pullId)).status).toBe(200);
  const unanswered = await fixture.ended(server, pullId);
  expect(unanswered).toMatchObject({ status: 'cancelled', processed: 0, total: 5 });
  expect(await fixture.hasCooldown(server)).toBe(true);
  expect((await fixture.ask(server)).status).toBe(429);
  await fixture.simulator.control('DELETE', '/faults');
  // As if another pull had begun and ended since.
  await fixture.db.$client`update pull_cooldowns set pull_id = gen_random_uuid()
    where server_id = ${server.serverId}`;
  expect((await resume(server, pullId)).status).toBe(202);
  expect((await fixture.ended(server, pullId)).results).toEqual({ ...noResults, joined: 5 });
});

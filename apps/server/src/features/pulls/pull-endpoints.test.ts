import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer, moveToPlan, ownerOf } from '../../../test/harness/bots-and-servers.ts';
import { noResults } from '../../../test/harness/pulls/fixture.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { purgePulls } from './queries/purge.ts';

/** Without a worker: queued pulls stay queued. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

type Owner = Awaited<ReturnType<typeof ownerOf>>;

const ask = ({ owner, id }: Pick<Owner, 'owner' | 'id'>, body?: object) =>
  owner.call('POST', `/api/v1/servers/${id}/pull`, body === undefined ? {} : { body });

const cooldownsOf = async (id: string): Promise<{ pull_id: string }[]> =>
  service.db.$client`select pull_id from pull_cooldowns where server_id = ${id}`;

const endAll = (id: string) =>
  service.db.$client`update pulls set status = 'completed' where server_id = ${id}`;

test('a pull is accepted without a body, and can be read, listed and counted', async () => {
  const { owner, id } = await ownerOf(service);
  const reply = await ask({ owner, id });
  expect(reply.status).toBe(202);
  expect(reply.body.data).toEqual({
    id: expect.any(String),
    ...{ serverId: id, targetServerId: id, roleId: null, status: 'queued', progress: 0 },
    ...{ total: 0, processed: 0, results: noResults, etaSeconds: 0, error: null },
    ...{ createdAt: expect.any(String), startedAt: null, completedAt: null },
    ...{ restoreRoles: true, rolesFromBackupId: null, warnings: [] },
  });
  const read = await owner.call('GET', `/api/v1/pulls/${reply.body.data.id}`);
  expect(read.body.data).toEqual(reply.body.data);
  const server = await owner.call('GET', `/api/v1/servers/${id}`);
  expect(server.body.data._count.pulls).toBe(1);
});

test('pulls of a server are listed newest first, page by page', async () => {
  const { owner, id } = await ownerOf(service);
  const made: string[] = [];
  for (let left = 3; left > 0; left--) {
    made.unshift((await ask({ owner, id })).body.data.id);
    await endAll(id);
  }
  await ask({ owner, id: await createServer(owner) });
  const list = (query: string) => owner.call('GET', `/api/v1/servers/${id}/pulls?${query}`);
  const first = (await list('limit=2')).body;
  expect(first.pagination).toEqual({ page: 1, limit: 2, total: 3, totalPages: 2 });
  const second = (await list('limit=2&page=2')).body;
  const ids = [...first.data, ...second.data].map(({ id: pullId }: { id: string }) => pullId);
  expect(ids).toEqual(made);
});

test.each<[string, object]>([
  ['limit', { limit: 0 }],
  ['limit', { limit: 1.5 }],
  ['limit', { limit: '5' }],
  ['memberIds', { memberIds: 'all' }],
  ['memberIds', { memberIds: ['x'] }],
  ['memberIds', { memberIds: Array.from({ length: 1001 }, () => crypto.randomUUID()) }],
  ['roleId', { roleId: 7001 }],
  ['roleId', { roleId: 'admin' }],
  ['targetServerId', { targetServerId: 'x' }],
])('a bad %s is a 400 that names it, and starts no cooldown', async (field, body) => {
  const place = await ownerOf(service, 'FREE');
  const reply = await ask(place, body);
  expect(reply.status).toBe(400);
  expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  expect(await cooldownsOf(place.id)).toEqual([]);
});

test('the largest limit and the longest list of members are accepted', async () => {
  const place = await ownerOf(service);
  const memberIds = Array.from({ length: 1000 }, () => crypto.randomUUID());
  const wish = { limit: Number.MAX_SAFE_INTEGER, memberIds, roleId: '18446744073709551615' };
  expect((await ask(place, wish)).status).toBe(202);
});

test('a target that is not the caller’s own is a 404, and neither that nor a 403 starts a cooldown', async () => {
  const place = await ownerOf(service, 'FREE');
  const stranger = await ownerOf(service);
  for (const targetServerId of [stranger.id, crypto.randomUUID()]) {
    const reply = await ask(place, { targetServerId });
    expect([reply.status, reply.body]).toEqual([404, { error: 'Server not found' }]);
  }
  expect((await ask({ ...place, id: stranger.id })).status).toBe(404);
  const reader = await service.newKey(place.owner, ['members:read']);
  expect((await ask({ ...place, owner: reader })).status).toBe(403);
  expect(await cooldownsOf(place.id)).toEqual([]);
  expect((await ask(place)).status).toBe(202);
});

describe('the cooldown', () => {
  test('accepts one of ten simultaneous requests, and tells the other nine when to retry', async () => {
    const place = await ownerOf(service, 'PREMIUM');
    const askedAt = Date.now();
    const replies = await Promise.all(Array.from({ length: 10 }, () => ask(place)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([202, ...Array(9).fill(429)]);
    for (const { status, headers, body } of replies) {
      if (status !== 429) continue;
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(7190);
      expect(seconds).toBeLessThanOrEqual(7200);
      expect(body.error).toContain(`${seconds} s`);
      const waitMs = Date.parse(body.nextPullAt) - askedAt;
      expect(waitMs).toBeGreaterThan(7_190_000);
      expect(waitMs).toBeLessThan(7_210_000);
    }
    const rows = await service.db.$client`select id from pulls where server_id = ${place.id}`;
    expect(rows).toHaveLength(1);
    const jobs = await service.db.$client`
      select id from pgboss.job where name = 'pulls.run' and data->>'pullId' = ${rows[0].id}`;
    expect(jobs).toHaveLength(1);
  });

  test('is checked before whether a pull is under way', async () => {
    const place = await ownerOf(service, 'BUSINESS');
    expect((await ask(place)).status).toBe(202);
    expect((await ask(place)).status).toBe(429);
    const sql = service.db.$client;
    await sql`update pull_cooldowns set started_at = started_at - interval '1801 seconds'
              where server_id = ${place.id}`;
    expect((await ask(place)).status).toBe(409);
    await endAll(place.id);
    expect((await ask(place)).status).toBe(202);
  });

  test('of zero refuses no pull, but two at once are refused', async () => {
    const place = await ownerOf(service, 'ENTERPRISE');
    const first = await ask(place);
    expect(first.status).toBe(202);
    const second = await ask(place);
    expect([second.status, second.body.error]).toEqual([409, 'A pull of this server is under way']);
    expect(await cooldownsOf(place.id)).toEqual([{ pull_id: first.body.data.id }]);
    for (let left = 20; left > 0; left--) {
      await endAll(place.id);
      expect((await ask(place)).status).toBe(202);
    }
  });

  test('counts for each server by itself, and by the present plan', async () => {
    const place = await ownerOf(service, 'PREMIUM');
    const other = { ...place, id: await createServer(place.owner) };
    expect((await ask(place)).status).toBe(202);
    expect((await ask(other)).status).toBe(202);
    await endAll(place.id);
    const owner = await moveToPlan(service, place.owner, 'ENTERPRISE');
    expect((await owner.call('POST', `/api/v1/servers/${place.id}/pull`)).status).toBe(202);
  });

  test('is not started again by a request that repeats its idempotency key', async () => {
    const { owner, id } = await ownerOf(service, 'PREMIUM');
    const again = () =>
      owner.call('POST', `/api/v1/servers/${id}/pull`, { headers: { 'idempotency-key': 'once' } });
    const [first, second] = [await again(), await again()];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body).toEqual(first.body);
  });
});

test('a queued pull is cancelled at once, releases its cooldown and is audited once', async () => {
  const place = await ownerOf(service, 'FREE');
  const { id } = (await ask(place)).body.data;
  expect(await cooldownsOf(place.id)).toHaveLength(1);
  const cancelled = await place.owner.call('POST', `/api/v1/pulls/${id}/cancel`);
  expect(cancelled.status).toBe(200);
  expect(cancelled.body.data).toMatchObject({ status: 'cancelled', etaSeconds: null });
  expect(cancelled.body.data.completedAt).not.toBeNull();
  expect(await cooldownsOf(place.id)).toEqual([]);
  const again = await place.owner.call('POST', `/api/v1/pulls/${id}/cancel`);
  expect([again.status, again.body.error]).toEqual([409, 'This pull has ended already']);
  const entries = (await place.owner.call('GET', '/api/v1/audit')).body.data;
  const actions = entries
    .filter(({ subject }: { subject: { type: string } }) => subject.type === 'pull')
    .map(({ action }: { action: string }) => action);
  expect(actions).toEqual(['pull.end', 'pull.create']);
  expect((await ask(place)).status).toBe(202);
});

test('a pull is hidden from other accounts, and gone with its server', async () => {
  const place = await ownerOf(service);
  const stranger = await ownerOf(service);
  const { id } = (await ask(place)).body.data;
  const calls: [string, string][] = [
    ['GET', `/api/v1/pulls/${id}`],
    ['POST', `/api/v1/pulls/${id}/cancel`],
  ];
  for (const [method, path] of calls) {
    expect((await stranger.owner.call(method, path)).status).toBe(404);
  }
  await place.owner.call('DELETE', `/api/v1/servers/${place.id}`);
  for (const [method, path] of calls) {
    expect((await place.owner.call(method, path)).status).toBe(404);
  }
});

test('the pulls of a deleted server are purged some rows at a time', async () => {
  const place = await ownerOf(service);
  const { id: pullId } = (await ask(place)).body.data;
  await service.db.$client`insert into pull_members (pull_id, seq, is_foreign)
    select ${pullId}, seq, false from generate_series(1, 25) as seq`;
  const erase = () => service.db.transaction((tx) => purgePulls(tx, place.id, 10));
  const erased = [await erase(), await erase(), await erase(), await erase(), await erase()];
  expect(erased).toEqual([10, 10, 5, 1, 0]);
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import {
  countsOf,
  databaseInAuckland,
  foundBy,
  insertMembers,
  listMembers,
  newServer,
} from '../../../test/harness/members.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { seedMembers } from './seed/seed-members.ts';
import { members } from './table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ databaseUrl: await databaseInAuckland() });
});
afterAll(() => service.stop());

test('a member is shown with the fields of the contract, and no other', async () => {
  const server = await newServer(service);
  const at = (text: string) => new Date(`${text}T01:02:03.004Z`);
  const [full] = await insertMembers(service.db, server, {
    username: 'ahab',
    displayName: 'Captain Ahab',
    avatarUrl: 'https://cdn.example.com/ahab.png',
    country: 'US',
    region: 'US-MA',
    asn: 4_294_967_295,
    fingerprint: 'f0f0f0f0',
    isVpn: true,
    isAlt: true,
    tokenStatus: 'EXPIRED',
    consentedAt: at('2026-02-01'),
    accountCreatedAt: at('2019-01-01'),
    verifiedAt: at('2026-03-01'),
  });
  const [bare] = await insertMembers(service.db, server, {
    username: 'ishmael',
    verifiedAt: at('2026-01-01'),
  });
  const reply = await listMembers(server);
  expect(reply.status).toBe(200);
  expect(reply.body.pagination).toEqual({ page: 1, limit: 20, total: 2, totalPages: 1 });
  expect(reply.body.data).toEqual([
    {
      id: full?.id,
      platformId: full?.platformId,
      username: 'ahab',
      displayName: 'Captain Ahab',
      avatar: 'https://cdn.example.com/ahab.png',
      country: 'US',
      region: 'US-MA',
      asn: 4_294_967_295,
      fingerprint: 'f0f0f0f0',
      isVpn: true,
      isAlt: true,
      tokenStatus: 'EXPIRED',
      pullable: true,
      consentedAt: '2026-02-01T01:02:03.004Z',
      accountCreatedAt: '2019-01-01T01:02:03.004Z',
      verifiedAt: '2026-03-01T01:02:03.004Z',
      leftAt: null,
    },
    {
      id: bare?.id,
      platformId: bare?.platformId,
      username: 'ishmael',
      displayName: 'ishmael',
      avatar: expect.stringMatching(/^https?:\/\//),
      ...{ country: null, region: null, asn: null, fingerprint: null, isVpn: false, isAlt: false },
      ...{ tokenStatus: 'NONE', pullable: false, consentedAt: null, accountCreatedAt: null },
      verifiedAt: '2026-01-01T01:02:03.004Z',
      leftAt: null,
    },
  ]);
});

describe('pages', () => {
  const dayMs = 86_400_000;
  const noon = Date.UTC(2026, 5, 15, 12);

  /** Days with no member, one, some and hundreds; members of one millisecond; both ends of a day. */
  const madeUpDays = (random: () => number): Date[] =>
    Array.from({ length: 40 }, (_, day) => {
      const most = [0, 1, 1, 3, 12, day === 20 ? 300 : 25][Math.floor(random() * 6)] ?? 0;
      const midnight = Date.UTC(2026, 3, 1) + day * dayMs;
      const moments = [midnight, midnight + dayMs - 1, midnight + Math.floor(random() * dayMs)];
      const anyMoment = () => moments[Math.floor(random() * 3)] ?? midnight;
      return Array.from({ length: most }, () => new Date(anyMoment()));
    }).flat();

  test.each([1, 2, 3, 4])(
    'of random data (draw %d) are those of a plain query',
    async (seed) => {
      const server = await newServer(service);
      let state = seed * 7919;
      const next = () => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
      const changes = madeUpDays(next).map((verifiedAt) => ({
        verifiedAt,
        consentedAt: next() < 0.4 ? verifiedAt : null,
        tokenStatus: 'VALID' as const,
      }));
      await insertMembers(service.db, server, ...changes, { verifiedAt: new Date(noon) });
      await insertMembers(
        service.db,
        await newServer(service, server.owner),
        ...changes.slice(0, 30),
      );

      const { $client: client } = service.db;
      const plain = await client`select id, pullable from members
      where server_id = ${server.serverId} order by verified_at desc, id desc`;
      for (const pullable of [undefined, 'true', 'false']) {
        const wanted = plain.filter((row: { pullable: boolean }) =>
          pullable === undefined ? true : String(row.pullable) === pullable,
        );
        const ids: string[] = wanted.map(({ id }: { id: string }) => id);
        for (const limit of [1, 7, 1 + Math.floor(next() * 100), 100]) {
          const last = Math.ceil(ids.length / limit);
          const pages = [1, 2, Math.ceil(last * next()), last - 1, last, last + 1, last + 1000];
          for (const page of new Set(pages.filter((page) => page >= 1))) {
            const reply = await listMembers(server, { page, limit, pullable });
            const shown = reply.body.data.map(({ id }: { id: string }) => id);
            expect(shown).toEqual(ids.slice((page - 1) * limit, page * limit));
            const totals = { page, limit, total: ids.length, totalPages: last };
            expect(reply.body.pagination).toEqual(totals);
          }
        }
      }
    },
    20_000,
  );

  test('follow one another without a gap or a repeat through seeded members', async () => {
    const server = await newServer(service);
    await seedMembers({ db: service.db, clock: systemClock }, server.serverId, {
      count: 500,
      pullable: 400,
    });
    const seen = new Set<string>();
    for (let page = 1; page <= 5; page++) {
      const reply = await listMembers(server, { page, limit: 100 });
      for (const { id } of reply.body.data) seen.add(id);
    }
    expect(seen.size).toBe(500);
    expect((await listMembers(server, { pullable: 'true' })).body.pagination.total).toBe(400);
    expect((await listMembers(server, { pullable: 'false' })).body.pagination.total).toBe(100);
    expect(await countsOf(server)).toEqual([500, 400]);
  });

  test.each([{}, { pullable: 'true' }, { search: 'member' }])(
    'far past the end, asked for with %j, are empty',
    async (query) => {
      const server = await newServer(service);
      await insertMembers(service.db, server, { consentedAt: new Date(), tokenStatus: 'VALID' });
      const reply = await listMembers(server, {
        ...query,
        page: 9_007_199_254_740_991,
        limit: 100,
      });
      expect(reply.status).toBe(200);
      expect(reply.body.data).toEqual([]);
      expect(reply.body.pagination.total).toBe(1);
    },
  );

  test.each([
    'page=0',
    'limit=101',
    'page=1&page=2',
    'search=a&search=a',
    'pullable=true&pullable=true',
  ])('asked for with %s are refused on that parameter', async (query) => {
    const { owner, serverId } = await newServer(service);
    const reply = await owner.call('GET', `/api/v1/servers/${serverId}/members?${query}`);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([query.split('=')[0] ?? '']);
  });
});

test('members of one server are not shown on another, nor to another account', async () => {
  const here = await newServer(service);
  const [there, foreign] = [await newServer(service, here.owner), await newServer(service)];
  const [row] = await insertMembers(service.db, here, { username: 'secretive' });
  expect((await listMembers(there)).body.pagination.total).toBe(0);
  expect(await foundBy(there, 'secretive')).toEqual([]);
  expect(await foundBy(there, row?.platformId ?? '')).toEqual([]);
  const trespass = await listMembers({ owner: foreign.owner, serverId: here.serverId });
  const nowhere = await listMembers({ owner: foreign.owner, serverId: crypto.randomUUID() });
  expect(trespass.status).toBe(404);
  expect(trespass.text).toBe(nowhere.text);
  const stored = await service.db.select().from(members).where(eq(members.serverId, here.serverId));
  expect(stored).toHaveLength(1);
});

test('members who are gone since a time are counted, and all of them after a move', async () => {
  const server = await newServer(service);
  const dashboard = await openDashboard(service, server.owner);
  const pullable = { consentedAt: new Date(), tokenStatus: 'VALID' as const };
  const people = await insertMembers(service.db, server, pullable, pullable, pullable, {});
  const [early, late, back, silent] = people.map(({ id }) => id);
  const guildId = (
    await service.db.$client`select platform_guild_id from servers
    where id = ${server.serverId}`
  )[0].platform_guild_id;
  const leave = (id: string | undefined, leftAt: string, returnedAt: string | null = null) =>
    service.db.$client`insert into seen_members
      (member_id, account_id, server_id, guild_id, left_at, returned_at)
      select id, account_id, server_id, ${guildId}, ${leftAt}::timestamptz, ${returnedAt}::timestamptz
      from members where id = ${id ?? ''}::uuid`;
  await leave(early, '2026-03-01T00:00:00Z');
  await leave(late, '2026-03-03T00:00:00Z');
  await leave(back, '2026-03-03T00:00:00Z', '2026-03-04T00:00:00Z');
  await leave(silent, '2026-03-03T00:00:00Z');
  const count = async (since: string) =>
    (await dashboard.call('GET', `/servers/${server.serverId}/lost-members?since=${since}`)).body
      .data;
  expect(await count('2026-03-02T00:00:00Z')).toEqual({
    ...{ total: 2, pullable: 1, memberIds: [late] },
  });
  expect(await count('2026-03-05T00:00:00Z')).toEqual({ total: 0, pullable: 0, memberIds: [] });
  const body = { platformGuildId: '175928847299117063' };
  await server.owner.call('PUT', `/api/v1/servers/${server.serverId}`, { body });
  expect(await count('2026-03-02T00:00:00Z')).toEqual({ total: 4, pullable: 3, memberIds: null });
});

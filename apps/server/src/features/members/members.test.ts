import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { eq, inArray } from 'drizzle-orm';
import fc from 'fast-check';
import { freshDatabase } from '../../../test/database.ts';
import {
  createServer,
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness.ts';
import { searchTextOf } from './rules.ts';
import { seedMembers } from './seed.ts';
import { members } from './table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ databaseUrl: await databaseInAuckland() });
}, 30_000);
afterAll(() => service.stop());

/** Days are counted in UTC, whatever time the database's own place has. */
const databaseInAuckland = async (): Promise<string> => {
  const url = await freshDatabase();
  const client = new SQL(url, { max: 1 });
  const name = client(new URL(url).pathname.slice(1));
  await client`alter database ${name} set timezone to 'Pacific/Auckland'`.simple();
  await client.close();
  return url;
};

type Row = typeof members.$inferInsert;
type Place = { owner: Tenant; serverId: string };

const newPlace = async (owner?: Tenant): Promise<Place> => {
  const tenant = owner ?? (await service.newTenant());
  return { owner: tenant, serverId: await createServer(tenant) };
};

let made = 0;
const memberOf = ({ owner, serverId }: Place, changes: Partial<Row> = {}): Row => {
  const { username = `member-${++made}`, displayName = null } = changes;
  return {
    id: crypto.randomUUID(),
    userId: owner.userId,
    serverId,
    platformId: randomPlatformId(),
    username,
    searchText: searchTextOf(username, displayName),
    ...changes,
  };
};

const insert = async (place: Place, ...changes: Partial<Row>[]): Promise<Row[]> => {
  const rows = changes.map((change) => memberOf(place, change));
  await service.db.insert(members).values(rows);
  return rows;
};

type Query = { page?: number; limit?: number; search?: string; pullable?: string };
const list = ({ owner, serverId }: Place, query: Query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return owner.call('GET', `/api/v1/servers/${serverId}/members?${parameters}`);
};
const namesIn = (reply: { body: { data: { username: string }[] } }) =>
  reply.body.data.map(({ username }) => username);
const found = async (place: Place, search: string) => namesIn(await list(place, { search })).sort();

const countsOf = async ({ owner, serverId }: Place) => {
  const { _count } = (await owner.call('GET', `/api/v1/servers/${serverId}`)).body.data;
  return [_count.members, _count.pullableMembers];
};

test('a member is shown with the fields that were decided, and no other', async () => {
  const place = await newPlace();
  const at = (text: string) => new Date(`${text}T01:02:03.004Z`);
  const [full] = await insert(place, {
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
  const [bare] = await insert(place, { username: 'ishmael', verifiedAt: at('2026-01-01') });
  const reply = await list(place);
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
    },
  ]);
});

describe('pages', () => {
  const dayMs = 86_400_000;
  const noon = Date.UTC(2026, 5, 15, 12);

  /** Days with nobody, one, some and hundreds; members of one millisecond; both ends of a day. */
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
      const place = await newPlace();
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
      await insert(place, ...changes, { verifiedAt: new Date(noon) });
      await insert(await newPlace(place.owner), ...changes.slice(0, 30));

      const { $client: client } = service.db;
      const plain = await client`select id, pullable from members
      where server_id = ${place.serverId} order by verified_at desc, id desc`;
      for (const pullable of [undefined, 'true', 'false']) {
        const wanted = plain.filter((row: { pullable: boolean }) =>
          pullable === undefined ? true : String(row.pullable) === pullable,
        );
        const ids: string[] = wanted.map(({ id }: { id: string }) => id);
        for (const limit of [1, 7, 1 + Math.floor(next() * 100), 100]) {
          const last = Math.ceil(ids.length / limit);
          const pages = [1, 2, Math.ceil(last * next()), last - 1, last, last + 1, last + 1000];
          for (const page of new Set(pages.filter((page) => page >= 1))) {
            const reply = await list(place, { page, limit, pullable });
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

  test('follow one another without a gap or a repeat through made-up members', async () => {
    const place = await newPlace();
    await seedMembers(service.db, place.serverId, { count: 500, pullable: 400 });
    const seen = new Set<string>();
    for (let page = 1; page <= 5; page++) {
      const reply = await list(place, { page, limit: 100 });
      for (const { id } of reply.body.data) seen.add(id);
    }
    expect(seen.size).toBe(500);
    expect((await list(place, { pullable: 'true' })).body.pagination.total).toBe(400);
    expect((await list(place, { pullable: 'false' })).body.pagination.total).toBe(100);
    expect(await countsOf(place)).toEqual([500, 400]);
  });

  test.each([{}, { pullable: 'true' }, { search: 'member' }])(
    'far past the end, asked for with %j, are empty',
    async (query) => {
      const place = await newPlace();
      await insert(place, { consentedAt: new Date(), tokenStatus: 'VALID' });
      const reply = await list(place, { ...query, page: 9_007_199_254_740_991, limit: 100 });
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
    const { owner, serverId } = await newPlace();
    const reply = await owner.call('GET', `/api/v1/servers/${serverId}/members?${query}`);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([query.split('=')[0] ?? '']);
  });
});

test('the daily counts are right after any insert, update and delete', async () => {
  const { $client: client } = service.db;
  const moment = fc
    .integer({ min: 0, max: 5 * 86_400_000 - 1 })
    .map((ms) => new Date(1.77e12 + ms));
  const change = fc.record(
    {
      verifiedAt: moment,
      tokenStatus: fc.constantFrom('VALID', 'EXPIRED', 'REVOKED', 'NONE'),
      consentedAt: fc.option(moment),
      blacklisted: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const some = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
  const step = fc.oneof(
    fc
      .array(change, { minLength: 1, maxLength: 5 })
      .map((rows) => ({ kind: 'insert' as const, rows })),
    fc.tuple(some, change).map(([who, to]) => ({ kind: 'update' as const, who, to })),
    some.map((who) => ({ kind: 'delete' as const, who })),
    some.map((who) => ({ kind: 'move' as const, who })),
  );
  const owner = await service.newTenant();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const places = [await newPlace(owner), await newPlace(owner)] as const;
      const ids: string[] = [];
      for (const todo of steps) {
        if (todo.kind === 'insert') {
          for (const { id } of await insert(places[0], ...todo.rows)) ids.push(id);
          continue;
        }
        const chosen = inArray(
          members.id,
          todo.who.map((n) => ids[n % ids.length] ?? '').filter(Boolean),
        );
        if (todo.kind === 'delete') await service.db.delete(members).where(chosen);
        if (todo.kind === 'move')
          await service.db.update(members).set({ serverId: places[1].serverId }).where(chosen);
        if (todo.kind === 'update' && Object.keys(todo.to).length > 0)
          await service.db.update(members).set(todo.to).where(chosen);
      }
      for (const { serverId } of places) {
        const real = await client`
          select (verified_at at time zone 'UTC')::date::text as day, count(*)::int as total,
            (count(*) filter (where pullable))::int as pullable
          from members where server_id = ${serverId} group by 1 order by 1`;
        const kept = await client`select day::text, total, pullable from member_counts
          where server_id = ${serverId} and (total, pullable) <> (0, 0) order by 1`;
        expect([...kept]).toEqual([...real]);
      }
    }),
    { numRuns: 20 },
  );
}, 20_000);

describe('a search', () => {
  let place: Place;
  beforeAll(async () => {
    place = await newPlace();
    await insert(
      place,
      { username: 'Otter', displayName: 'Der Fluß', platformId: '424242' },
      { username: 'otterly', displayName: null },
      { username: 'ärger', displayName: 'ÄRGER Dich' },
      { username: 'istanbul', displayName: 'İSTANBUL' },
      { username: 'sofos', displayName: 'ΣΟΦΟΣΑΣ' },
      { username: '100%', displayName: 'all_of_it' },
      { username: '100x', displayName: 'allXofXit' },
      { username: 'back\\slash', displayName: 'e\u0301cole' },
      { username: 'n42424299', displayName: '漢字 👍' },
    );
  }, 30_000);

  test.each([
    ['otter', ['Otter', 'otterly']],
    ['OTTER', ['Otter', 'otterly']],
    ['tte', ['Otter', 'otterly']],
    ['r', ['Otter', 'otterly', 'ärger']],
    ['fluß', ['Otter']],
    ['ÄRG', ['ärger']],
    ['ärger d', ['ärger']],
    ['İstan', ['istanbul']],
    ['STANBUL', ['istanbul']],
    ['ΣΟΦΟΣΑΣ', ['sofos']],
    ['σοφ', ['sofos']],
    ['ΣΟΦΟΣ', ['sofos']],
    ['σοφοσας', ['sofos']],
    ['%', ['100%']],
    ['100%', ['100%']],
    ['_', ['100%']],
    ['ALL_OF', ['100%']],
    ['\\', ['back\\slash']],
    ['École', ['back\\slash']],
    ['👍', ['n42424299']],
    ['424242', ['Otter', 'n42424299']],
    ['42424', ['n42424299']],
    ['otter\nder', []],
    ['nobody', []],
    ['x'.repeat(100), []],
    ["'; drop table members; --", []],
  ])('for %j finds %j', async (search, names) => {
    expect(await found(place, search)).toEqual(names);
  });

  test.each(['', 'x'.repeat(101), '👍'.repeat(101)])('for %j is refused', async (search) => {
    const reply = await list(place, { search });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['search']);
  });

  test('is paged newest first, and goes together with pullable', async () => {
    const crowd = await newPlace();
    const [tie, consentedAt] = [new Date(1.77e12), new Date()];
    const rows = await insert(
      crowd,
      ...Array.from({ length: 25 }, (_, i) => ({
        username: i % 5 === 0 ? `other-${i}` : `Match-${i}`,
        verifiedAt: i % 3 === 0 ? tie : new Date(tie.getTime() + i),
        tokenStatus: 'VALID' as const,
        consentedAt: i % 2 === 0 ? consentedAt : null,
      })),
    );
    const newestFirst = rows
      .filter(({ username }) => username.startsWith('Match'))
      .toSorted((a, b) => Number(b.verifiedAt) - Number(a.verifiedAt) || (a.id < b.id ? 1 : -1));
    for (const pullable of [undefined, 'true', 'false']) {
      const wanted = newestFirst.filter(
        ({ consentedAt: agreed }) =>
          pullable === undefined || (agreed ? 'true' : 'false') === pullable,
      );
      for (const page of [1, 2, 3, 4, 5, 6]) {
        const reply = await list(crowd, { search: 'mAtCh', page, limit: 4, pullable });
        const expected = wanted.slice((page - 1) * 4, page * 4);
        expect(namesIn(reply)).toEqual(expected.map(({ username }) => username));
        expect(reply.body.pagination.total).toBe(wanted.length);
      }
    }
  });
});

describe('pullable', () => {
  test.each(['TRUE', '1', 'yes', '', 'null'])('is not %j', async (pullable) => {
    const reply = await list(await newPlace(), { pullable });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['pullable']);
  });

  test('is who agreed, holds a token that was not revoked, and is not blacklisted', async () => {
    const place = await newPlace();
    const cases = [null, new Date()].flatMap((consentedAt) =>
      (['VALID', 'EXPIRED', 'REVOKED', 'NONE'] as const).flatMap((tokenStatus) =>
        [false, true].map((blacklisted) => ({ consentedAt, tokenStatus, blacklisted })),
      ),
    );
    const rows = await insert(place, ...cases);
    for (const row of rows.filter(({ blacklisted }) => blacklisted)) {
      const body = { platformId: row.platformId };
      await place.owner.call('POST', `/api/v1/servers/${place.serverId}/blacklist`, { body });
    }
    const pullable = (await list(place, { pullable: 'true' })).body.data;
    const told = pullable.map((member: { tokenStatus: string; pullable: boolean }) => [
      member.tokenStatus,
      member.pullable,
    ]);
    expect(told.sort()).toEqual([
      ['EXPIRED', true],
      ['VALID', true],
    ]);
    expect((await list(place, { pullable: 'false' })).body.pagination.total).toBe(14);
    expect(await countsOf(place)).toEqual([16, 2]);
  });

  test('ends on all servers of the account that blacklists a member, and comes back after', async () => {
    const here = await newPlace();
    const [there, foreign] = [await newPlace(here.owner), await newPlace()];
    const person = { platformId: randomPlatformId(), tokenStatus: 'VALID' as const };
    const agreed = { ...person, consentedAt: new Date() };
    for (const place of [here, there, foreign]) {
      await insert(place, agreed, { ...agreed, platformId: randomPlatformId() });
    }
    const counts = async () => [
      await countsOf(here),
      await countsOf(there),
      await countsOf(foreign),
    ];
    const pullableThere = async () =>
      (await list(there, { search: person.platformId })).body.data[0];
    expect(await counts()).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
    ]);

    const body = { platformId: person.platformId };
    const entry = await here.owner.call('POST', `/api/v1/servers/${here.serverId}/blacklist`, {
      body,
    });
    expect(await counts()).toEqual([
      [2, 1],
      [2, 1],
      [2, 2],
    ]);
    expect((await pullableThere()).pullable).toBe(false);

    await here.owner.call('DELETE', `/api/v1/blacklist?entryId=${entry.body.data.id}`);
    expect(await counts()).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
    expect((await pullableThere()).pullable).toBe(true);
  });
});

test('members of one server are not shown on another, nor to another account', async () => {
  const here = await newPlace();
  const [there, foreign] = [await newPlace(here.owner), await newPlace()];
  const [row] = await insert(here, { username: 'secretive' });
  expect((await list(there)).body.pagination.total).toBe(0);
  expect(await found(there, 'secretive')).toEqual([]);
  expect(await found(there, row?.platformId ?? '')).toEqual([]);
  const trespass = await list({ owner: foreign.owner, serverId: here.serverId });
  const nowhere = await list({ owner: foreign.owner, serverId: crypto.randomUUID() });
  expect(trespass.status).toBe(404);
  expect(trespass.text).toBe(nowhere.text);
  const stored = await service.db.select().from(members).where(eq(members.serverId, here.serverId));
  expect(stored).toHaveLength(1);
});

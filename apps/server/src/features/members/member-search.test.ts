import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { memberSorts } from '@holdfast/contract';
import { SQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import {
  databaseInAuckland,
  foundBy,
  insertMembers,
  listMembers,
  namesIn,
  newServer,
  type OwnedServer,
} from '../../../test/harness/members.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { listMembers as readMembers } from './queries/list.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ databaseUrl: await databaseInAuckland() });
});
afterAll(() => service.stop());

describe('a search', () => {
  let server: OwnedServer;
  beforeAll(async () => {
    server = await newServer(service);
    await insertMembers(
      service.db,
      server,
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
  });

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
    expect(await foundBy(server, search)).toEqual(names);
  });

  test.each(['', 'x'.repeat(101), '👍'.repeat(101)])('for %j is refused', async (search) => {
    const reply = await listMembers(server, { search });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['search']);
  });

  test.each(['mAtCh', 'aT', 'M'])(
    'for %j is paged newest first, and goes together with pullable',
    async (search) => {
      const crowd = await newServer(service);
      const [tie, consentedAt] = [new Date(1.77e12), new Date()];
      const rows = await insertMembers(
        service.db,
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
          const reply = await listMembers(crowd, { search, page, limit: 4, pullable });
          const expected = wanted.slice((page - 1) * 4, page * 4);
          expect(namesIn(reply)).toEqual(expected.map(({ username }) => username));
          expect(reply.body.pagination.total).toBe(wanted.length);
        }
      }
    },
  );
});

/** The plan that the database would use for every pattern. */
const planForAnyPattern = async (
  { serverId, owner }: OwnedServer,
  search: string,
  mostRead = 0,
): Promise<string> => {
  const asked: { statement: string; values: unknown[] }[] = [];
  const logger = {
    logQuery: (statement: string, values: unknown[]) => asked.push({ statement, values }),
  };
  const db = drizzle({ client: service.db.$client, casing: 'snake_case', logger });
  await readMembers(
    db,
    { id: serverId, accountId: owner.accountId },
    { page: 1, limit: 20, search },
    mostRead,
  );
  // The first one counts the members.
  const { statement, values } = asked[1] ?? { statement: '', values: [] };
  const literals = values.map((value) => `'${value}'`).join(', ');
  const sql = new SQL(service.databaseUrl, { max: 1 });
  await sql.unsafe(`begin;
    alter table members drop constraint members_platform_id_of_server;
    drop index members_of_server, members_pullable, members_token_status, members_by_name,
      members_by_account;
    set local enable_seqscan = off;
    set local plan_cache_mode = force_generic_plan;
    prepare members_search_page as ${statement}`);
  const plan = await sql.unsafe(`explain execute members_search_page (${literals})`);
  await sql.unsafe('rollback');
  await sql.close();
  return JSON.stringify(plan);
};

test('a search too short for the trigram index does not scan it, even without any other index', async () => {
  const server = await newServer(service);
  await insertMembers(service.db, server, { username: 'somebody' });
  const byIndex = /Index Cond: [^"]*search_text/;
  expect(await planForAnyPattern(server, 'some')).toMatch(byIndex);
  for (const short of ['s', 'so', '1', '漢', '--']) {
    expect(await planForAnyPattern(server, short)).not.toMatch(byIndex);
  }
});

test('a search in a server with few members does not use the index of all servers', async () => {
  const server = await newServer(service);
  await insertMembers(service.db, server, { username: 'somebody' });
  for (const search of ['some', 'so']) {
    expect(await planForAnyPattern(server, search, 1)).not.toMatch(/Index Cond: [^"]*search_text/);
  }
});

test('a search finds the same in the same order, whether all names are read or the index is used', async () => {
  const { owner, serverId } = await newServer(service);
  const words = 'amber otter ambient 4242 Äm ber_o 100% beam'.split(' ');
  const [tie, consentedAt] = [new Date(1.77e12), new Date()];
  await insertMembers(
    service.db,
    { owner, serverId },
    ...Array.from({ length: 60 }, (_, i) => ({
      username: `${words[i % 8]}${words[(i * 5) % 7]}-${i % 11}`,
      platformId: i === 7 ? '4242' : `9${i}`,
      verifiedAt: new Date(tie.getTime() + (i % 13)),
      accountCreatedAt: new Date(tie.getTime() - (i % 9)),
      tokenStatus: 'VALID' as const,
      consentedAt: i % 3 === 0 ? consentedAt : null,
    })),
  );
  const place = { id: serverId, accountId: owner.accountId };
  for (const search of ['amber', 'er', 'r_o', '4242', 'äm', '0%', 'nobody']) {
    for (const [at, sort] of memberSorts.entries()) {
      const pullable = [undefined, true, false][at % 3];
      for (const page of [1, 2]) {
        const query = { search, sort, pullable, page, limit: 3 };
        const read = (mostRead: number) => readMembers(service.db, place, query, mostRead);
        const [few, many] = await Promise.all([read(60), read(59)]);
        expect(few).toEqual(many);
        expect(few.total > 0).toBe(search !== 'nobody');
      }
    }
  }
});

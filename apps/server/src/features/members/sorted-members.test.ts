import { afterAll, beforeAll, expect, test } from 'bun:test';
import { memberSorts } from '@holdfast/contract';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { insertMembers, newServer, type OwnedServer } from '../../../test/harness/members.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';

type Person = { username: string; verifiedAt: Date; accountCreatedAt: Date; isPullable: boolean };

/** Every seventh has the day of another, so that ids decide. */
const day = (number: number): Date => new Date(Date.UTC(2025, 0, 1 + number));
const people: Person[] = Array.from({ length: 21 }, (_, at) => ({
  username: `${'kelp moss fern reed'.split(' ')[at % 4]}-${String((at * 8) % 21).padStart(2, '0')}`,
  verifiedAt: day(at % 7),
  accountCreatedAt: day(-((at * 5) % 21)),
  isPullable: at % 3 === 0,
}));

let service: TestService;
let server: OwnedServer;
let dashboard: Awaited<ReturnType<typeof openDashboard>>;
beforeAll(async () => {
  service = await startTestService();
  const owner = await service.newTenant();
  server = await newServer(service, owner);
  dashboard = await openDashboard(service, owner);
  const consent = { consentedAt: new Date(), tokenStatus: 'VALID' as const };
  await insertMembers(
    service.db,
    server,
    ...people.map(({ isPullable, ...person }) => ({ ...person, ...(isPullable && consent) })),
  );
  // Of a stranger: never seen.
  await insertMembers(service.db, await newServer(service), { username: 'kelp-stranger' });
});
afterAll(() => service.stop());

type Row = { id: string; username: string; verifiedAt: string; accountCreatedAt: string };

const keyOf = {
  newest: (row: Row) => row.verifiedAt,
  oldest: (row: Row) => row.verifiedAt,
  name: (row: Row) => row.username,
  nameReversed: (row: Row) => row.username,
  youngestAccount: (row: Row) => row.accountCreatedAt,
  oldestAccount: (row: Row) => row.accountCreatedAt,
};
const descending = ['newest', 'nameReversed', 'youngestAccount'];

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const read = async (query: string): Promise<{ rows: Row[]; total: number }> => {
  const path = `/servers/${server.serverId}/members/found?${query}`;
  const { status, body } = await dashboard.call('GET', path);
  expect(status).toBe(200);
  return { rows: body.data, total: body.pagination.total };
};

const filters = ['', '&pullable=true', '&pullable=false', '&search=kelp', '&search=e'];

test.each(memberSorts.flatMap((sort) => filters.map((filter) => [sort, filter] as const)))(
  'sorted by %s and filtered by "%s", all pages together are the whole list in its order',
  async (sort, filter) => {
    const { rows: whole, total } = await read(`sort=${sort}&limit=100${filter}`);
    expect(whole.length).toBe(total);
    expect(total).toBeGreaterThan(4);
    const sign = descending.includes(sort) ? -1 : 1;
    const inOrder = whole.toSorted(
      (one, other) =>
        sign * (compare(keyOf[sort](one), keyOf[sort](other)) || compare(one.id, other.id)),
    );
    expect(whole.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
    const pages: string[] = [];
    for (let page = 1; page <= Math.ceil(total / 4); page++) {
      const part = await read(`sort=${sort}&limit=4&page=${page}${filter}`);
      expect(part.total).toBe(total);
      pages.push(...part.rows.map(({ id }) => id));
    }
    expect(pages).toEqual(whole.map(({ id }) => id));
    expect((await read(`sort=${sort}&limit=4&page=99${filter}`)).rows).toEqual([]);
  },
);

test('pages after the first ten thousand are empty in other orders, and an unknown order is refused', async () => {
  expect((await read('sort=name&limit=100&page=101')).rows).toEqual([]);
  const path = `/servers/${server.serverId}/members/found?sort=height`;
  const { status, body } = await dashboard.call('GET', path);
  expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, ['sort']]);
});

test('the API itself takes no order', async () => {
  const path = `/api/v1/servers/${server.serverId}/members?limit=3`;
  const [plain, sorted] = [
    await server.owner.call('GET', path),
    await server.owner.call('GET', `${path}&sort=name`),
  ];
  expect(sorted.body.data).toEqual(plain.body.data);
});

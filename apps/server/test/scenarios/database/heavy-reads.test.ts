import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { createServer } from '../../harness/bots-and-servers.ts';
import { openDashboard } from '../../harness/dashboard/session.ts';
import { type OwnTenant, startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
let greedy: OwnTenant;
let memberPath: string;
let path: string;
beforeAll(async () => {
  service = await startTestService({ patience: 1 });
  greedy = await service.newTenant();
  memberPath = `/servers/${await createServer(greedy)}/members`;
  path = `/api/v1${memberPath}?search=a`;
});
afterAll(() => service.stop());

/** While `work` runs, no member can be read: a search takes as long as it may. */
const whileMembersAreLocked = async (work: (release: () => void) => Promise<void>) => {
  const sql = new SQL(service.databaseUrl, { max: 1 });
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = sql.begin(async (tx) => {
    await tx`lock table members in access exclusive mode`.simple();
    locked.resolve();
    await released.promise;
  });
  try {
    await locked.promise;
    await work(released.resolve);
  } finally {
    released.resolve();
    await holding;
    await sql.close();
  }
};

const search = (times: number) => Array.from({ length: times }, () => greedy.call('GET', path));

describe('an account that searches far too much at once', () => {
  test('is told to come back, is never answered with 500, and holds up nobody else', async () => {
    const calm = await service.newTenant();
    await whileMembersAreLocked(async (release) => {
      const searches = search(24);
      const refused = Promise.all(searches.map((reply) => reply.catch(() => undefined)));
      // All connections would be taken by now if each search had one.
      for (let count = 0; count < 20; count++) {
        const reply = await calm.call('GET', '/api/v1/servers');
        expect(reply.status).toBe(200);
      }
      await Promise.race([refused, firstRefusal(searches)]);
      release();
      const replies = await Promise.all(searches);
      const statuses = replies.map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      for (const { status, headers } of replies) {
        if (status === 429) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
    });
    expect((await greedy.call('GET', path)).status).toBe(200);
    expect(service.logLines.filter((line) => line.includes('request failed'))).toEqual([]);
  });

  test('keeps its own cheap reads meanwhile', async () => {
    await whileMembersAreLocked(async (release) => {
      const searches = search(24);
      expect((await greedy.call('GET', '/api/v1/account')).status).toBe(200);
      release();
      await Promise.all(searches);
    });
  });
});

test('an account has three lists read at once, by its keys and in the dashboard together', async () => {
  const dashboard = await openDashboard(service, greedy);
  await whileMembersAreLocked(async (release) => {
    const readings = Array.from({ length: 8 }, () => [
      greedy.call('GET', `/api/v1${memberPath}`),
      dashboard.call('GET', memberPath),
    ]).flat();
    // Whoever gets no turn is refused; by then everybody who has one waits in the database.
    await firstRefusal(readings);
    expect(await countWaitingForLock()).toBe(3);
    release();
    const statuses = (await Promise.all(readings)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});

test.each(['a', 'anybody'])('an account has one search at a time, as for %j', async (term) => {
  await whileMembersAreLocked(async (release) => {
    const searches = Array.from({ length: 8 }, () =>
      greedy.call('GET', `/api/v1${memberPath}?search=${term}`),
    );
    await firstRefusal(searches);
    expect(await countWaitingForLock()).toBe(1);
    release();
    await Promise.all(searches);
  });
});

const countWaitingForLock = async (): Promise<number> => {
  const sql = new SQL(service.databaseUrl, { max: 1 });
  const [row] = await sql`select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await sql.close();
  return row.waiting;
};

test('a search that takes longer than it may is refused with 429', async () => {
  await whileMembersAreLocked(async () => {
    const [searching] = search(1);
    let isCancelled = false;
    const admin = new SQL(service.databaseUrl, { max: 1 });
    while (!isCancelled) {
      // What the database itself does when a statement's time is up.
      const rows = await admin`select pg_cancel_backend(pid) as done from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ilike '%members%'
        and pid <> pg_backend_pid()`;
      isCancelled = rows.length > 0;
    }
    await admin.close();
    const reply = await searching;
    expect(reply?.status).toBe(429);
    expect(reply?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });
});

const firstRefusal = (searches: Promise<{ status: number }>[]) =>
  Promise.any(
    searches.map(async (reply) => {
      if ((await reply).status !== 429) throw new Error('Not refused');
    }),
  );

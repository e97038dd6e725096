import { afterEach, beforeEach, expect, test } from 'bun:test';
import { eventsPath } from '@holdfast/contract';
import { SQL } from 'bun';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { readEvents } from '../../../test/harness/dashboard/event-reader.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';

type Events = NonNullable<NonNullable<Parameters<typeof startTestService>[0]>['events']>;

const quick = { heartbeatMs: 100, eventEveryMs: 50, checkMs: 50 };

let stops: (() => Promise<unknown>)[];
beforeEach(() => {
  stops = [];
});
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** A service on a port. */
const start = async ({ databaseUrl, ...events }: Events & { databaseUrl?: string } = {}) => {
  const url = databaseUrl ?? (await freshDatabase());
  const service = await startTestService({ databaseUrl: url, events: { times: quick, ...events } });
  stops.push(service.stop);
  const server = service.listen();
  stops.push(server.stop);
  return { service, ...server };
};

test('one /64 holds no more streams than an address, and other networks hold theirs', async () => {
  const service = await startTestService({
    trustedProxies: ['127.0.0.1'],
    events: { times: quick, limits: { perNetwork: 2 } },
  });
  stops.push(service.stop);
  const server = service.listen();
  stops.push(server.stop);
  await open(server.url, (await signIn(service)).cookie);
  const statuses: number[] = [];
  for (const address of ['1:2::1', '1:2::2', '1:2::3', '1:3::1']) {
    const headers = { 'x-forwarded-for': `2001:db8:${address}` };
    statuses.push((await readEvents(server.url, (await signIn(service)).cookie, headers)).status);
  }
  expect(statuses).toEqual([200, 200, 429, 200]);
});

const signIn = async (service: TestService, tenant?: Tenant) => {
  const owner = tenant ?? (await service.newTenant());
  return { owner, ...(await openDashboard(service, owner)) };
};

/** Streams are refused until the process is told of changes. */
const open = (url: string, cookie: string) =>
  eventually(10_000, async () => {
    const reader = await readEvents(url, cookie);
    expect(reader.status).toBe(200);
    return reader;
  });

let asn = 64_500;
const addRule = async (owner: Tenant, serverId: string) => {
  const body = { type: 'ASN', value: String(asn++) };
  const reply = await owner.call('POST', `/api/v1/servers/${serverId}/firewall`, { body });
  expect(reply.status).toBe(201);
};

test('a change reaches the open pages of its account, and of no other', async () => {
  const { service, url } = await start();
  const [one, other] = [await signIn(service), await signIn(service)];
  const [ourServer, theirServer] = [await createServer(one.owner), await createServer(other.owner)];
  const [ours, second, theirs] = [
    await open(url, one.cookie),
    await open(url, one.cookie),
    await open(url, other.cookie),
  ];
  await addRule(one.owner, ourServer);
  for (const reader of [ours, second]) {
    await eventually(10_000, () => expect(reader.topics).toContain(`firewall:${ourServer}`));
    await eventually(10_000, () => expect(reader.topics).toContain('audit'));
  }
  await addRule(other.owner, theirServer);
  await eventually(10_000, () => expect(theirs.topics).toContain(`firewall:${theirServer}`));
  expect(theirs.topics.join()).not.toContain(ourServer);
  expect(ours.topics.join()).not.toContain(theirServer);
});

test('a change in one process reaches the pages that another one serves', async () => {
  const databaseUrl = await freshDatabase();
  const [here, there] = [await start({ databaseUrl }), await start({ databaseUrl })];
  const { owner, cookie } = await signIn(here.service);
  const serverId = await createServer(owner);
  const reader = await open(there.url, cookie);
  await addRule(owner, serverId);
  await eventually(10_000, () => expect(reader.topics).toContain(`firewall:${serverId}`));
});

test('a page is told which part changed, and nothing of what it holds', async () => {
  const { service, url } = await start();
  const { owner, cookie } = await signIn(service);
  const reader = await open(url, cookie);
  const serverId = await createServer(owner);
  await addRule(owner, serverId);
  await eventually(10_000, () => expect(reader.topics).toContain(`firewall:${serverId}`));
  for (const topic of reader.topics) expect(topic).toMatch(/^[a-z]+(:[0-9a-f-]{36})?$/);
});

test('a stream is not stored, collected or compressed on its way, and is never silent', async () => {
  const { service, url } = await start();
  const { cookie } = await signIn(service);
  const reader = await open(url, cookie);
  expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(reader.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(reader.headers.get('x-accel-buffering')).toBe('no');
  expect(reader.headers.get('content-encoding')).toBeNull();
  await eventually(10_000, () => expect(reader.heartbeats()).toBeGreaterThan(2));
  expect(reader.isEnded()).toBe(false);
});

test('signing out ends the streams of that session, and no others', async () => {
  const { service, url } = await start();
  const { owner, cookie, sessionId } = await signIn(service);
  const other = await signIn(service, owner);
  const [ended, kept] = [await open(url, cookie), await open(url, other.cookie)];
  expect((await other.call('DELETE', `/sessions/${sessionId}`)).status).toBe(200);
  await eventually(10_000, () => expect(ended.isEnded()).toBe(true));
  expect(kept.isEnded()).toBe(false);
  expect((await readEvents(url, cookie)).status).toBe(401);
});

test('deleting the account ends its streams', async () => {
  const { service, url } = await start();
  const { owner, cookie } = await signIn(service);
  const reader = await open(url, cookie);
  const body = { confirm: `user-${owner.platformId}` };
  expect((await owner.call('DELETE', '/api/v1/account', { body })).status).toBe(200);
  await eventually(10_000, () => expect(reader.isEnded()).toBe(true));
});

test('streams are opened by a session, from a page of ours', async () => {
  const { service, url } = await start();
  const { owner, cookie } = await signIn(service);
  await open(url, cookie);
  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(`${url}${eventsPath}`, { headers })).status;
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ authorization: `Bearer ${owner.key}` })).toBe(401);
  expect(await statusWith({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusWith({ cookie, origin: 'https://elsewhere.example' })).toBe(403);
  const byKey = { authorization: `Bearer ${owner.key}` };
  expect((await fetch(`${url}/api/v1/events`, { headers: byKey })).status).toBe(404);
});

test('a session, an account and a process hold only so many streams', async () => {
  const limits = { perSession: 2, perAccount: 3, perProcess: 4 };
  const { service, url } = await start({ limits });
  const { owner, cookie } = await signIn(service);
  const [first] = [await open(url, cookie), await open(url, cookie)];
  const third = await readEvents(url, cookie);
  expect(third.status).toBe(429);
  expect(JSON.parse(third.text)).toEqual({ error: 'Too many windows of the dashboard are open' });
  expect(third.headers.get('retry-after')).toBe('30');

  const elsewhere = await signIn(service, owner);
  await open(url, elsewhere.cookie);
  expect((await readEvents(url, elsewhere.cookie)).status).toBe(429);

  const [other, another] = [await signIn(service), await signIn(service)];
  await open(url, other.cookie);
  const refused = await readEvents(url, another.cookie);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('30');

  first?.close();
  await open(url, another.cookie);
});

test('pages read everything again when notifications may have been missed', async () => {
  const databaseUrl = await freshDatabase();
  const { service, url } = await start({ databaseUrl });
  const { cookie } = await signIn(service);
  const reader = await open(url, cookie);
  const sql = new SQL(databaseUrl, { max: 1 });
  stops.push(() => sql.close());
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'holdfast-listen' and datname = current_database()`;
  await eventually(20_000, () => expect(reader.topics).toContain('all'));
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { analyticsBy, insertAttempts, tokenHealth } from '../../../test/harness/analytics.ts';
import { databaseInAuckland } from '../../../test/harness/members.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { servers } from '../servers/table.ts';
import { attempts } from '../verification/table.ts';
import { deleteOldAttempts, rollUp } from './jobs.ts';
import { purgeAnalytics } from './queries.ts';
import { attemptCountries, attemptCountryHours, attemptHours } from './table.ts';

const neverAborted = new AbortController().signal;

let service: TestService;
let fixture: ReturnType<typeof analyticsBy>;
beforeAll(async () => {
  service = await startTestService({ databaseUrl: await databaseInAuckland() });
  fixture = analyticsBy(service);
});
afterAll(() => service.stop());

const at = (moment: Date) => {
  fixture.clock.at = moment;
};
const began = (...moments: Date[]) => moments.map((startedAt) => ({ startedAt }));

/** A day, and those around it, that no test before has come near: what is counted stays counted. */
let lastDay = Date.UTC(2026, 2, 10);
const newDay = () => {
  const base = lastDay;
  lastDay += 400 * 86_400_000;
  return (days: number, time: string) =>
    new Date(`${new Date(base + days * 86_400_000).toISOString().slice(0, 10)}T${time}Z`);
};
const dependencies = () => ({ db: service.db, clock: fixture.clock });

test('a server without attempts has zeros in every bucket', async () => {
  const server = await fixture.newServer();
  at(new Date('2026-03-10T14:20:00.000Z'));
  const day = await fixture.read(server, '24h');
  expect(day).toMatchObject({
    period: '24h',
    from: '2026-03-09T15:00:00.000Z',
    to: '2026-03-10T15:00:00.000Z',
    funnel: { visited: 0, authorized: 0, captchaPassed: 0, checksPassed: 0, verified: 0 },
    totals: { attempts: 0, verified: 0, blocked: 0, conversionRate: 0 },
    blockReasons: { BLACKLIST: 0, FIREWALL: 0, VPN: 0, ALT: 0, ACCOUNT_AGE: 0, CAPTCHA: 0 },
    topCountries: [],
    tokenHealth,
  });
  expect(day.series).toHaveLength(24);
  expect(day.series[0]).toEqual({ at: day.from, attempts: 0, verified: 0, blocked: 0 });
  expect(day.series[23].at).toBe('2026-03-10T14:00:00.000Z');
});

test('one day is shown by the hour as 24 hours are, more by the UTC day, and 30 are the default', async () => {
  const server = await fixture.newServer();
  at(new Date('2026-03-10T14:20:00.000Z'));
  expect((await fixture.read(server, '1d')).series).toEqual(
    (await fixture.read(server, '24h')).series,
  );
  const two = await fixture.read(server, '2d');
  expect(two.series.map((point: { at: string }) => point.at)).toEqual([
    '2026-03-08T00:00:00.000Z',
    '2026-03-09T00:00:00.000Z',
    '2026-03-10T00:00:00.000Z',
  ]);
  const usual = await fixture.read(server);
  expect([usual.period, usual.from]).toEqual(['30d', '2026-02-08T15:00:00.000Z']);
  const year = await fixture.read(server, '365d');
  expect([year.from, year.series.length]).toEqual(['2025-03-10T15:00:00.000Z', 366]);
});

test.each(['366d', '0d', '25h', '24H', '1w', '007d', '%20'])('%j is no period', async (period) => {
  const answer = await fixture.ask(await fixture.newServer(), period);
  expect(answer.status).toBe(400);
});

describe.each([false, true])('with the hours that are over rolled up: %p,', (isRolledUp) => {
  const settle = () => (isRolledUp ? rollUp(dependencies(), neverAborted) : undefined);

  test('a period begins with its first moment and ends before the hour to come', async () => {
    const server = await fixture.newServer();
    const day = newDay();
    at(day(0, '14:59:59.999'));
    const germany = { country: 'DE' };
    const before = began(day(-2, '14:59:59.999'), day(-2, '00:00:00.000'));
    const inside = began(
      day(-2, '15:00:00.000'),
      day(-1, '23:59:59.999'),
      day(0, '00:00:00.000'),
      day(0, '14:59:59.999'),
    );
    await insertAttempts(
      service,
      server,
      ...[...before, ...inside].map((row) => ({ ...row, ...germany })),
    );
    await settle();
    const two = await fixture.read(server, '2d');
    expect(two.totals.attempts).toBe(4);
    expect(two.series.map((point: { attempts: number }) => point.attempts)).toEqual([1, 1, 2]);
    expect(two.topCountries).toEqual([{ country: 'DE', attempts: 4 }]);
    expect((await fixture.read(server, '24h')).topCountries).toEqual([
      { country: 'DE', attempts: 3 },
    ]);
  });

  test('an attempt that reached a stage counts in all before it, and blocked ones are counted by reason', async () => {
    const server = await fixture.newServer();
    const day = newDay();
    at(day(0, '14:20'));
    const startedAt = day(0, '03:00:00.000');
    const rows = [
      { stage: 'visited' },
      { stage: 'authorized', blockReason: 'CAPTCHA' },
      { stage: 'captchaPassed', blockReason: 'VPN' },
      { stage: 'captchaPassed', blockReason: 'VPN' },
      { stage: 'checksPassed' },
      { stage: 'verified' },
    ] as const;
    await insertAttempts(service, server, ...rows.map((row) => ({ ...row, startedAt })));
    await settle();
    const { funnel, totals, blockReasons, series } = await fixture.read(server, '7d');
    expect(funnel).toEqual({
      visited: 6,
      authorized: 5,
      captchaPassed: 4,
      checksPassed: 2,
      verified: 1,
    });
    expect(totals).toEqual({ attempts: 6, verified: 1, blocked: 3, conversionRate: 0.1667 });
    expect(blockReasons).toEqual({
      BLACKLIST: 0,
      FIREWALL: 0,
      VPN: 2,
      ALT: 0,
      ACCOUNT_AGE: 0,
      CAPTCHA: 1,
    });
    expect(series.at(-1)).toEqual({
      at: day(0, '00:00').toISOString(),
      attempts: 6,
      verified: 1,
      blocked: 3,
    });
  });

  test('the ten countries with the most attempts are shown, equal ones by code, without the unknown', async () => {
    const server = await fixture.newServer();
    const day = newDay();
    at(day(0, '14:20'));
    const startedAt = day(0, '03:00:00.000');
    const codes = ['ZA', 'BR', 'BR', 'BR', 'US', 'US', null, null, null, null];
    const others = ['LV', 'KE', 'JP', 'IT', 'HU', 'GR', 'FR', 'EE', 'DE', 'CA'];
    await insertAttempts(
      service,
      server,
      ...[...codes, ...others].map((country) => ({ country, startedAt })),
    );
    await settle();
    const { topCountries } = await fixture.read(server, '7d');
    expect(topCountries.map((row: { country: string }) => row.country).join()).toBe(
      'BR,US,CA,DE,EE,FR,GR,HU,IT,JP',
    );
    expect(topCountries[0].attempts).toBe(3);
  });

  test('attempts of other servers are not counted', async () => {
    const [mine, other] = [await fixture.newServer(), await fixture.newServer()];
    const day = newDay();
    at(day(0, '14:20'));
    await insertAttempts(service, other, ...began(day(0, '03:00:00.000')));
    await settle();
    expect((await fixture.read(mine)).totals.attempts).toBe(0);
    expect((await fixture.ask({ ...mine, serverId: other.serverId })).status).toBe(404);
  });
});

test('attempts are forgotten after 30 days, what was counted of them stays', async () => {
  const server = await fixture.newServer();
  const day = newDay();
  const cameBack = began(day(0, '10:00'), day(19, '10:00')).map((attempt) => ({
    ...attempt,
    stage: 'authorized' as const,
  }));
  await insertAttempts(service, server, ...cameBack);
  at(day(30, '10:00'));
  const before = await fixture.read(server, '60d');
  await rollUp(dependencies(), neverAborted);
  await deleteOldAttempts(dependencies(), neverAborted);
  expect(await service.db.$count(attempts, eq(attempts.serverId, server.serverId))).toBe(2);
  at(day(30, '10:00:00.001'));
  await rollUp(dependencies(), neverAborted);
  await deleteOldAttempts(dependencies(), neverAborted);
  expect(await service.db.$count(attempts, eq(attempts.serverId, server.serverId))).toBe(1);
  expect(await fixture.read(server, '60d')).toEqual(before);
});

test('attempts that never came back are forgotten once they are counted, and stay in the funnel', async () => {
  const server = await fixture.newServer();
  const day = newDay();
  await insertAttempts(service, server, ...began(day(0, '10:00'), day(0, '12:30')));
  at(day(0, '13:00'));
  const before = await fixture.read(server, '24h');
  expect(before.funnel.visited).toBe(2);
  await rollUp(dependencies(), neverAborted);
  await deleteOldAttempts(dependencies(), neverAborted);
  expect(await service.db.$count(attempts, eq(attempts.serverId, server.serverId))).toBe(1);
  expect(await fixture.read(server, '24h')).toEqual(before);
});

test('the counts of a deleted server are deleted in chunks, and no more is counted of it', async () => {
  const { db } = service;
  const [gone, kept] = [await fixture.newServer(), await fixture.newServer()];
  const day = newDay();
  const rows = began(day(0, '10:00'), day(0, '11:00'), day(1, '10:00'));
  for (const server of [gone, kept]) {
    await insertAttempts(service, server, ...rows.map((row) => ({ ...row, country: 'DE' })));
  }
  at(day(2, '00:00'));
  await rollUp(dependencies(), neverAborted);
  await db.update(servers).set({ deletedAt: new Date() }).where(eq(servers.id, gone.serverId));
  const purged: number[] = [];
  do purged.push(await db.transaction((tx) => purgeAnalytics(tx, gone.serverId, 2)));
  while (purged.at(-1) !== 0);
  expect(purged).toEqual([2, 1, 2, 1, 2, 0]);

  await insertAttempts(service, gone, {
    startedAt: day(2, '01:00'),
    country: 'DE',
  });
  at(day(3, '00:00'));
  await rollUp(dependencies(), neverAborted);
  for (const table of [attemptHours, attemptCountryHours, attemptCountries]) {
    expect(await db.$count(table, eq(table.serverId, gone.serverId))).toBe(0);
  }
  expect((await fixture.read(kept, '7d')).totals.attempts).toBe(3);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { blockReasons, funnelStages } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { analyticsBy, insertAttempts } from '../../../test/harness/analytics.ts';
import { databaseInAuckland } from '../../../test/harness/members.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { tries } from '../../../test/harness/tries.ts';
import { attempts } from '../verification/table.ts';
import { deleteOldAttempts, rollUp } from './jobs.ts';
import { attemptHours } from './table.ts';

const neverAborted = new AbortController().signal;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let service: TestService;
let fixture: ReturnType<typeof analyticsBy>;
beforeAll(async () => {
  service = await startTestService({ databaseUrl: await databaseInAuckland() });
  fixture = analyticsBy(service);
});
afterAll(() => service.stop());

const dependencies = () => ({ db: service.db, clock: fixture.clock });

const attempt = fc.record({
  beganAtMs: fc.oneof(
    fc.nat(3 * dayMs),
    fc.nat(72).map((hours) => hours * hourMs),
  ),
  takesMs: fc.nat(40 * minuteMs),
  stage: fc.constantFrom(...funnelStages),
  blockReason: fc.option(fc.constantFrom(...blockReasons)),
  country: fc.option(fc.constantFrom('DE', 'FR', 'US')),
});
type Attempt = (typeof attempt extends fc.Arbitrary<infer A> ? A : never) & { id: string };

const moment = fc.record({
  atMs: fc.oneof(
    fc.nat(4 * dayMs),
    fc.nat(96).map((hours) => hours * hourMs),
  ),
  rollUps: fc.nat(2),
  period: fc.constantFrom('24h', '1d', '2d', '3d', '365d'),
});

/** As seen at a moment: an attempt is decided only some time after it began. */
const seenAt = (atMs: number, { beganAtMs, takesMs, ...decided }: Attempt) => {
  const isDecided = beganAtMs + takesMs <= atMs;
  const open = { ...decided, stage: 'visited' as const, blockReason: null };
  return { beganAtMs, ...(isDecided ? decided : open) };
};

/** All attempts, one by one. */
const countNaively = (all: ReturnType<typeof seenAt>[], nowMs: number, period: string) => {
  const hours = period === '24h' ? 24 : Number.parseInt(period, 10) * 24;
  const toMs = (Math.floor(nowMs / hourMs) + 1) * hourMs;
  const inside = all.filter(
    ({ beganAtMs }) => beganAtMs >= toMs - hours * hourMs && beganAtMs < toMs,
  );
  const bucketMs = hours === 24 ? hourMs : dayMs;
  const bySize = [...new Set(inside.flatMap(({ country }) => country ?? []))]
    .map((country) => ({
      country,
      attempts: inside.filter((one) => one.country === country).length,
    }))
    .sort((a, b) => b.attempts - a.attempts || (a.country < b.country ? -1 : 1));
  const countsOf = (some: typeof inside) => ({
    attempts: some.length,
    verified: some.filter(({ stage }) => stage === 'verified').length,
    blocked: some.filter(({ blockReason }) => blockReason).length,
  });
  const series = new Map<number, typeof inside>();
  for (const one of inside) {
    const at = Math.floor(one.beganAtMs / bucketMs) * bucketMs;
    series.set(at, [...(series.get(at) ?? []), one]);
  }
  return {
    totals: countsOf(inside),
    funnel: funnelStages.map(
      (_, at) => inside.filter(({ stage }) => funnelStages.indexOf(stage) >= at).length,
    ),
    blockReasons: blockReasons.map(
      (reason) => inside.filter(({ blockReason }) => blockReason === reason).length,
    ),
    series: [...series].sort(([a], [b]) => a - b).map(([at, some]) => ({ at, ...countsOf(some) })),
    topCountries: bySize,
  };
};

/** What the API tells, in the same words. */
const readAnalytics = async (
  server: Awaited<ReturnType<typeof fixture.newServer>>,
  period: string,
  base: number,
) => {
  const { totals, funnel, series, ...rest } = await fixture.read(server, period);
  const { conversionRate, ...counts } = totals;
  expect(conversionRate).toBeCloseTo(counts.attempts ? counts.verified / counts.attempts : 0, 3);
  const steps = funnelStages.map((stage) => funnel[stage]);
  expect(steps).toEqual([...steps].sort((a, b) => b - a));
  type Point = { at: string; attempts: number };
  return {
    totals: counts,
    funnel: steps,
    blockReasons: blockReasons.map((reason) => rest.blockReasons[reason]),
    series: series
      .filter((point: Point) => point.attempts > 0)
      .map((point: Point) => ({ ...point, at: Date.parse(point.at) - base })),
    topCountries: rest.topCountries,
  };
};

test('analytics show what counting all attempts one by one would, whenever hours were rolled up', async () => {
  const { db } = service;
  const server = await fixture.newServer();
  let base = Date.UTC(2026, 0, 1);
  await fc.assert(
    fc.asyncProperty(
      fc.array(attempt, { minLength: 1, maxLength: 30 }),
      fc.array(moment, { minLength: 1, maxLength: 6 }),
      async (drawn, moments) => {
        // Beyond every period of the run before: what was counted then is out of sight.
        base += 400 * dayMs;
        const all = drawn.map((one) => ({ ...one, id: crypto.randomUUID() }));
        let lastMs = -1;
        for (const { atMs, rollUps, period } of moments.toSorted((a, b) => a.atMs - b.atMs)) {
          fixture.clock.at = new Date(base + atMs);
          const begun = all.filter(({ beganAtMs }) => beganAtMs <= atMs);
          const isNew = ({ beganAtMs }: Attempt) => beganAtMs > lastMs;
          const rows = begun.filter(isNew).map((one) => {
            const { beganAtMs, ...seen } = seenAt(atMs, one);
            return { ...seen, startedAt: new Date(base + beganAtMs) };
          });
          await insertAttempts(service, server, ...rows);
          for (const one of begun.filter((old) => !isNew(old))) {
            const { stage, blockReason } = seenAt(atMs, one);
            await db.update(attempts).set({ stage, blockReason }).where(eq(attempts.id, one.id));
          }
          await Promise.all(
            Array.from({ length: rollUps }, () => rollUp(dependencies(), neverAborted)),
          );
          const expected = countNaively(
            begun.map((one) => seenAt(atMs, one)),
            atMs,
            period,
          );
          expect(await readAnalytics(server, period, base)).toEqual(expected);
          lastMs = atMs;
        }
      },
    ),
    tries(10),
  );
});

test('several workers at once, and readers meanwhile, count every attempt once', async () => {
  const { db } = service;
  const server = await fixture.newServer();
  const base = Date.UTC(2200, 0, 1);
  const rows = Array.from({ length: 400 }, (_, i) => ({
    startedAt: new Date(base + Math.floor((i / 400) * 4 * dayMs)),
    country: 'DE',
  }));
  await insertAttempts(service, server, ...rows);
  fixture.clock.at = new Date(base + 4 * dayMs);
  const state = { isOver: false };
  const working = Promise.all(
    Array.from({ length: 4 }, () => rollUp(dependencies(), neverAborted)),
  ).finally(() => {
    state.isOver = true;
  });
  const seen = new Set<string>();
  do {
    const { totals, topCountries } = await fixture.read(server, '30d');
    seen.add(`${totals.attempts} ${topCountries[0]?.attempts}`);
  } while (!state.isOver);
  await working;
  expect([...seen]).toEqual(['400 400']);
  expect(await db.$count(attemptHours, eq(attemptHours.serverId, server.serverId))).toBe(94);
});

test('an hour is counted once none of its attempts can still change', async () => {
  const { db } = service;
  const server = await fixture.newServer();
  const base = Date.UTC(2201, 0, 1);
  await insertAttempts(service, server, { startedAt: new Date(base + hourMs - 1) });
  const countedAt = async (atMs: number) => {
    fixture.clock.at = new Date(base + atMs);
    await rollUp(dependencies(), neverAborted);
    return db.$count(attemptHours, eq(attemptHours.serverId, server.serverId));
  };
  expect(await countedAt(3 * hourMs - 1)).toBe(0);
  expect(await countedAt(3 * hourMs)).toBe(1);
  expect(await countedAt(3 * hourMs)).toBe(1);
});

test('no attempt is forgotten before it was counted, however old', async () => {
  const { db } = service;
  const server = await fixture.newServer();
  const base = Date.UTC(2202, 0, 1);
  const startedAt = new Date(base);
  await insertAttempts(service, server, { startedAt });
  fixture.clock.at = new Date(base + 60 * dayMs);
  const left = () => db.$count(attempts, eq(attempts.serverId, server.serverId));
  await deleteOldAttempts(dependencies(), neverAborted);
  expect(await left()).toBe(1);
  await rollUp(dependencies(), neverAborted);
  await deleteOldAttempts(dependencies(), neverAborted);
  expect(await left()).toBe(0);
  expect((await fixture.read(server, '90d')).totals.attempts).toBe(1);
});

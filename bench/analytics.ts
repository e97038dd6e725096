import { z } from 'zod';
import { closeDatabase, connectDatabase } from '../apps/server/src/db/connect.ts';
import { rollUp } from '../apps/server/src/features/analytics/jobs.ts';
import { systemClock } from '../apps/server/src/kernel/clock.ts';
import { forgetCounts, insertAttempts, refreshStatistics } from './analytics-queries.ts';
import { type Connection, openConnection, requestText } from './connection.ts';
import { createBot, createServer } from './contents.ts';
import { milliseconds, print, printTable, seconds, verdict } from './print.ts';
import { median } from './statistics.ts';
import type { Tenant, World } from './world.ts';

const goal = 3;
const warmUpRounds = 30;
const rounds = 200;
const periods = ['365d', '30d', '24h'];
const small = 10_000;
const large = 10_000_000;

type AttemptServer = { id: string; owner: Tenant; attempts: number };
type Timed = { period: string; ms: number[] };

/** Whether a year costs more to look at where a thousand times more was tried in it. */
export const measureAnalytics = async (world: World, largest = large): Promise<void> => {
  const servers = await makeServers(world, [small, largest]);
  await rollUpAll(world);
  const connection = await openConnection(world.service.url);
  try {
    for (const server of servers) await checkTotal(connection, world, server);
    const timed: Timed[] = [];
    for (const period of periods) {
      timed.push({ period, ms: await timePeriod(connection, world, servers, period) });
    }
    report(timed, servers);
  } finally {
    connection.close();
  }
};

const makeServers = async (world: World, sizes: number[]): Promise<AttemptServer[]> => {
  const owner = await world.newTenant();
  const botId = await createBot(world, owner, 71);
  const servers: AttemptServer[] = [];
  for (const attempts of sizes) {
    const id = await createServer(world, owner, botId, 7100 + servers.length);
    const startedAt = performance.now();
    await insertAttempts(world.sql, { id, userId: owner.userId }, attempts);
    print(`seeding ${attempts} attempts took ${seconds(performance.now() - startedAt)}`);
    servers.push({ id, owner, attempts });
  }
  return servers;
};

/** By the code of the job, all at once, as a worker would that had never done it. */
const rollUpAll = async (world: World): Promise<void> => {
  await forgetCounts(world.sql);
  const db = connectDatabase(world.databaseUrl, { name: 'holdfast-bench', poolSize: 1 });
  const startedAt = performance.now();
  await rollUp({ db, clock: systemClock }, new AbortController().signal);
  print(`rolling up took ${seconds(performance.now() - startedAt)}\n`);
  await closeDatabase(db);
  await refreshStatistics(world.sql);
};

const ask = async (
  connection: Connection,
  world: World,
  { id, owner }: AttemptServer,
  period: string,
): Promise<string> => {
  const path = `/api/v1/servers/${id}/analytics?period=${period}`;
  const request = requestText({ origin: world.service.url, path, key: owner.key });
  const { status, body } = await connection.send(request);
  if (status !== 200) throw new Error(`GET ${path}: ${body.toString()}`);
  return body.toString();
};

const answer = z.object({ data: z.object({ totals: z.object({ attempts: z.int() }) }) });

/** What is fast but wrong is not measured; the first hour may have left the period since. */
const checkTotal = async (connection: Connection, world: World, server: AttemptServer) => {
  const text = await ask(connection, world, server, '365d');
  const { attempts } = answer.parse(JSON.parse(text)).data.totals;
  if (attempts > server.attempts || attempts < server.attempts * 0.999) {
    throw new Error(`Of ${server.attempts} attempts ${attempts} are told`);
  }
};

/** The median of each server, asked in turns. */
const timePeriod = async (
  connection: Connection,
  world: World,
  servers: readonly AttemptServer[],
  period: string,
): Promise<number[]> => {
  const seen: number[][] = servers.map(() => []);
  for (let i = 0; i < warmUpRounds + rounds; i++) {
    for (const [at, server] of servers.entries()) {
      const startedAt = performance.now();
      await ask(connection, world, server, period);
      if (i >= warmUpRounds) seen[at]?.push(performance.now() - startedAt);
    }
  }
  return seen.map(median);
};

const report = (timed: readonly Timed[], servers: readonly AttemptServer[]): void => {
  print(`analytics: median of ${rounds} alternating requests, one at a time`);
  printTable(
    ['', ...servers.map(({ attempts }) => `of ${attempts}`), 'ratio', `goal ≤ ${goal}`],
    timed.map(({ period, ms: [smallMs = Number.NaN, largeMs = Number.NaN] }) => {
      const ratio = largeMs / smallMs;
      const times = [milliseconds(smallMs), milliseconds(largeMs)];
      return [period, ...times, ratio.toFixed(2), verdict(ratio <= goal)];
    }),
  );
  print();
};

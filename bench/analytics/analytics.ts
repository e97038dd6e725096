import { z } from 'zod';
import { type Connection, openConnection, requestText } from '../lib/connection.ts';
import { createBot, createServer } from '../lib/contents.ts';
import type { Bench } from '../lib/environment.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { median } from '../lib/statistics.ts';
import { type AttemptServer, seedYear } from './year.ts';

const goal = 3;
const warmUpRounds = 30;
const rounds = 200;
const periods = ['365d', '30d', '24h'];
const sizes = [10_000, 10_000_000];

type Timed = { period: string; ms: number[] };

/** Whether a year costs more to look at where a thousand times more was tried in it. */
export const measureAnalytics = async (bench: Bench): Promise<void> => {
  const servers = await makeServers(bench);
  await seedYear(bench, servers);
  const connection = await openConnection(bench.service.url);
  try {
    for (const server of servers) await checkTotals(connection, bench, server);
    const timed: Timed[] = [];
    for (const period of periods) {
      timed.push({ period, ms: await timePeriod(connection, bench, servers, period) });
    }
    report(timed, servers);
  } finally {
    connection.close();
  }
};

const makeServers = async (bench: Bench): Promise<AttemptServer[]> => {
  const owner = await bench.newTenant();
  const botId = await createBot(bench, owner, 71);
  const servers: AttemptServer[] = [];
  for (const attempts of sizes) {
    const id = await createServer(bench, owner, botId, 7100 + servers.length);
    servers.push({ id, owner, attempts });
  }
  return servers;
};

const ask = async (
  connection: Connection,
  bench: Bench,
  { id, owner }: AttemptServer,
  period: string,
): Promise<string> => {
  const path = `/api/v1/servers/${id}/analytics?period=${period}`;
  const request = requestText({ origin: bench.service.url, path, key: owner.key });
  const { status, body } = await connection.send(request);
  if (status !== 200) throw new Error(`GET ${path}: ${body.toString()}`);
  return body.toString();
};

const totals = z.object({ attempts: z.int(), verified: z.int(), blocked: z.int() });
const answer = z.object({ data: z.object({ totals }) });

/**
 * What is fast but wrong is not measured. One in five was verified, and one in five turned away; the
 * first hour may have left the period since.
 */
const checkTotals = async (connection: Connection, bench: Bench, server: AttemptServer) => {
  const text = await ask(connection, bench, server, '365d');
  const told = answer.parse(JSON.parse(text)).data.totals;
  const { attempts } = server;
  const expected = { attempts, verified: attempts / 5, blocked: attempts / 5 };
  for (const name of totals.keyof().options) {
    if (told[name] <= expected[name] + 1 && told[name] >= expected[name] * 0.99) continue;
    throw new Error(`Of ${expected[name]} ${name} ${told[name]} are told`);
  }
};

/** The median of each server, asked in turns. */
const timePeriod = async (
  connection: Connection,
  bench: Bench,
  servers: readonly AttemptServer[],
  period: string,
): Promise<number[]> => {
  const seen: number[][] = servers.map(() => []);
  for (let i = 0; i < warmUpRounds + rounds; i++) {
    for (const [at, server] of servers.entries()) {
      const startedAt = performance.now();
      await ask(connection, bench, server, period);
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

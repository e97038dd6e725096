import { type Connection, openConnection } from '../lib/connection.ts';
import type { Bench } from '../lib/environment.ts';
import { processorMs } from '../lib/processes.ts';
import { median, quantile } from '../lib/statistics.ts';
import { countArrived, countVisits, forgetNewcomers } from './queries.ts';
import { type Door, walkToPlatform } from './server.ts';

/** Who takes newcomers back, and where. */
export type Target = { name: string; url: string; pid: number; path: string };
export type Round = { perSecond: number; p50: number; p99: number; processorUs: number };
type Size = { newcomers: number; together: number };

/** All walk to the platform first; only their way back is measured. */
export const measureRound = async (
  bench: Bench,
  server: Door,
  target: Target,
  size: Size,
  onPrepared = async () => {},
): Promise<Round> => {
  const requests = await prepare(bench, server, target, size);
  await onPrepared();
  const connections = await openAll(target.url, size.together);
  const usedMs = await processorMs(target.pid);
  const startedAt = performance.now();
  const latenciesMs = await sendAll(connections, requests).finally(() => {
    for (const connection of connections) connection.close();
  });
  const elapsedMs = performance.now() - startedAt;
  const processorUs = (((await processorMs(target.pid)) - usedMs) / size.newcomers) * 1000;
  await checkArrived(bench, server, size.newcomers);
  return {
    perSecond: (size.newcomers / elapsedMs) * 1000,
    p50: median(latenciesMs),
    p99: quantile(latenciesMs, 0.99),
    processorUs,
  };
};

/** The requests with which they come back; none of the round before is left. */
const prepare = async (
  bench: Bench,
  server: Door,
  { url, path }: Target,
  { newcomers, together }: Size,
): Promise<string[]> => {
  await forgetNewcomers(bench.sql, server.id);
  await bench.simulator.clearLog();
  const requests: string[] = [];
  const walk = async () => {
    while (requests.length < newcomers) {
      const at = requests.push('') - 1;
      const { search, cookie, address } = await walkToPlatform(bench, server);
      const head = `GET ${path}${search} HTTP/1.1\r\nHost: ${new URL(url).host}`;
      requests[at] = `${head}\r\nCookie: ${cookie}\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    }
  };
  await Promise.all(Array.from({ length: together }, walk));
  await countVisits(bench.sql, { id: server.id, accountId: server.owner.accountId });
  return requests;
};

const openAll = (origin: string, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(origin)));

const sendAll = async (connections: Connection[], requests: string[]): Promise<number[]> => {
  const waiting = [...requests];
  const latenciesMs: number[] = [];
  const send = async (connection: Connection) => {
    for (let request = waiting.pop(); request; request = waiting.pop()) {
      const sentAt = performance.now();
      const { status, body } = await connection.send(request);
      if (status !== 303) throw new Error(`A callback was answered ${status}: ${body.toString()}`);
      latenciesMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(connections.map(send));
  return latenciesMs;
};

/** A fast side that does nothing fails the run. */
const checkArrived = async (bench: Bench, server: Door, newcomers: number): Promise<void> => {
  const arrived = await countArrived(bench.sql, server.id);
  if (arrived !== newcomers) throw new Error(`Of ${newcomers} newcomers ${arrived} arrived`);
};

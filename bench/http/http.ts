import { requestText } from '../lib/connection.ts';
import { createBot, createServer } from '../lib/contents.ts';
import type { Bench, Tenant } from '../lib/environment.ts';
import type { Load } from '../lib/load.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { type Listener, processorMs, residentMiB, startListener } from '../lib/processes.ts';
import { median, quantile } from '../lib/statistics.ts';

const goal = 0.6;
const connections = 32;
const roundMs = 1500;
/** The runtime goes on compiling for some seconds of load. */
const warmUpRounds = 5;
const rounds = 12;
const bots = 3;
const servers = 20;

type Target = { name: string; listener: Listener; request: string };
type Round = {
  perSecond: number;
  p50: number;
  p99: number;
  processorUs: number;
  memoryMiB: number;
};
type Pair = { service: Target; reference: Target };

/** How much of a bare server's throughput is left once everything a request needs is done. */
export const measureHttp = async (bench: Bench): Promise<void> => {
  const tenant = await bench.newTenant();
  await fill(bench, tenant);
  const reference = await startListener('reference', { DATABASE_URL: bench.databaseUrl });
  try {
    print(`http: ${connections} connections, ${rounds} alternating rounds of ${roundMs} ms`);
    for (const name of ['account', 'servers']) {
      await measurePair(bench.load, pairFor(name, bench.service, reference, tenant));
    }
  } finally {
    await reference.stop();
  }
};

const fill = async (bench: Bench, tenant: Tenant): Promise<void> => {
  let botId = '';
  for (let i = 1; i <= bots; i++) botId = await createBot(bench, tenant, i);
  for (let i = 1; i <= servers; i++) await createServer(bench, tenant, botId, i);
};

const pairFor = (name: string, service: Listener, reference: Listener, tenant: Tenant): Pair => ({
  service: {
    name: `GET /${name}, service`,
    listener: service,
    request: requestText({ origin: service.url, path: `/api/v1/${name}`, key: tenant.key }),
  },
  reference: {
    name: `GET /${name}, reference`,
    listener: reference,
    request: requestText({ origin: reference.url, path: `/${name}/${tenant.accountId}` }),
  },
});

const measurePair = async (load: Load, { service, reference }: Pair): Promise<void> => {
  const seen: { service: Round[]; reference: Round[] } = { service: [], reference: [] };
  for (let i = 0; i < warmUpRounds + rounds; i++) {
    const ofService = await measureRound(load, service);
    const ofReference = await measureRound(load, reference);
    if (i < warmUpRounds) continue;
    seen.service.push(ofService);
    seen.reference.push(ofReference);
  }
  printTable(
    ['', 'requests/s', 'p50', 'p99', 'processor/request', 'memory'],
    [rowOf(service, seen.service), rowOf(reference, seen.reference)],
  );
  const ratio = median(
    seen.service.map(({ perSecond }, i) => perSecond / (seen.reference[i]?.perSecond ?? 0)),
  );
  print(`  throughput ratio ${ratio.toFixed(2)}, goal ≥ ${goal}: ${verdict(ratio >= goal)}\n`);
};

const measureRound = async (load: Load, { listener, request }: Target): Promise<Round> => {
  const order = { origin: listener.url, request, connections, durationMs: roundMs };
  const usedMs = await processorMs(listener.pid);
  const { latenciesMs, elapsedMs } = await load.run(order);
  const requests = latenciesMs.length + connections;
  return {
    perSecond: (latenciesMs.length / elapsedMs) * 1000,
    p50: median(latenciesMs),
    p99: quantile(latenciesMs, 0.99),
    processorUs: (((await processorMs(listener.pid)) - usedMs) / requests) * 1000,
    memoryMiB: await residentMiB(listener.pid),
  };
};

const rowOf = ({ name }: Target, seen: readonly Round[]): string[] => {
  const middle = (part: keyof Round) => median(seen.map((round) => round[part]));
  return [
    name,
    middle('perSecond').toFixed(0),
    milliseconds(middle('p50')),
    milliseconds(middle('p99')),
    `${middle('processorUs').toFixed(0)} µs`,
    `${middle('memoryMiB').toFixed(0)} MiB`,
  ];
};

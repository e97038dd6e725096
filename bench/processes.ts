import { requestText } from './lib/connection.ts';
import type { Bench, Tenant } from './lib/environment.ts';
import { print, printTable, verdict } from './lib/print.ts';
import { type Listener, serviceProcessorMs, startListener } from './lib/processes.ts';
import { median } from './lib/statistics.ts';

const goal = 1.7;
const connections = 16;
const roundMs = 3000;
const warmUpRounds = 2;
const rounds = 6;
const tenantCount = 8;

type Round = { perSecond: number; perProcessorSecond: number; cores: number };
type Side = { processes: number; listener: Listener; seen: Round[] };

/**
 * What a second process on a second core adds to one on one core: a process alone would use some of the second core
 * too, to compile and to collect garbage. The list of an assistant's tools is made anew for each request, without a
 * statement: it takes the service a hundred times as long as the client, so that neither the client nor
 * PostgreSQL takes much of the two cores that are measured.
 */
export const measureProcesses = async (bench: Bench): Promise<void> => {
  const tenants = await Promise.all(Array.from({ length: tenantCount }, () => bench.newTenant()));
  const sides = await Promise.all([1, 2].map((processes) => startSide(bench, processes)));
  try {
    print(`processes: ${connections} connections, ${rounds} alternating rounds of ${roundMs} ms`);
    for (let i = 0; i < warmUpRounds + rounds; i++) {
      for (const { listener, seen } of sides) {
        const round = await measureRound(bench, listener, tenants);
        if (i >= warmUpRounds) seen.push(round);
      }
    }
    printSides(sides);
  } finally {
    for (const { listener } of sides) await listener.stop();
  }
};

const startSide = async (bench: Bench, processes: number): Promise<Side> => {
  const own = { DATABASE_URL: bench.databaseUrl, ROLE: 'api', PROCESSES: String(processes) };
  return {
    processes,
    listener: await startListener('service', { ...bench.env, ...own }, { cores: processes }),
    seen: [],
  };
};

const measureRound = async (
  { load }: Pick<Bench, 'load'>,
  { url, pid }: Listener,
  tenants: Tenant[],
): Promise<Round> => {
  const requests = tenants.map(({ key }) => toolsRequest(url, key));
  const before = await serviceProcessorMs(pid);
  const { latenciesMs, elapsedMs } = await load.run({
    ...{ origin: url, requests, connections, durationMs: roundMs },
  });
  const usedMs = (await serviceProcessorMs(pid)) - before;
  // The first answer of each connection is not among the latencies.
  const answered = latenciesMs.length + connections;
  return {
    perSecond: (latenciesMs.length / elapsedMs) * 1000,
    perProcessorSecond: (answered / usedMs) * 1000,
    cores: usedMs / elapsedMs,
  };
};

const toolsRequest = (origin: string, key: string): string =>
  requestText({
    ...{ origin, method: 'POST', path: '/mcp', key },
    json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });

const printSides = (sides: Side[]): void => {
  const middle = ({ seen }: Side, part: (round: Round) => number) => median(seen.map(part));
  printTable(
    ['processes', 'requests/s', 'per second of processor', 'cores used'],
    sides.map((side) => [
      String(side.processes),
      middle(side, ({ perSecond }) => perSecond).toFixed(0),
      middle(side, ({ perProcessorSecond }) => perProcessorSecond).toFixed(0),
      middle(side, ({ cores }) => cores).toFixed(2),
    ]),
  );
  const [one, two] = sides;
  if (!one || !two) return;
  const ratioOf = (part: (round: Round) => number) =>
    median(two.seen.map((round, i) => part(round) / part(one.seen[i] ?? round)));
  const ratio = ratioOf(({ perSecond }) => perSecond);
  const perProcessor = ratioOf(({ perProcessorSecond }) => perProcessorSecond);
  print(
    `  throughput of two: ${ratio.toFixed(2)} of one, goal ≥ ${goal}: ${verdict(ratio >= goal)}; per second of processor ${perProcessor.toFixed(2)}\n`,
  );
};

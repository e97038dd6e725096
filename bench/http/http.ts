import { overridePlans } from '@holdfast/contract';
import { openConnection, requestText } from '../lib/connection.ts';
import { createBot, createServer } from '../lib/contents.ts';
import { type Bench, plans, type Tenant } from '../lib/environment.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { type Listener, startListener } from '../lib/processes.ts';
import { median } from '../lib/statistics.ts';
import { connections, measureRound, type Round, roundMs, type Target } from './round.ts';

const throughputGoal = 0.6;
/** Of the processor time of the twin and its database, what the service and its database may take. */
const processorGoals = { account: 0.55, servers: 0.45 };
/** The runtimes go on compiling for some seconds of load. */
const warmUpRounds = 5;
const rounds = 12;
/** Several, since an account has few lists read for it at once. */
const tenantCount = 8;
const bots = 3;
const servers = 20;

type Name = keyof typeof processorGoals;
type Sides = { service: Listener; twin: Listener; reference: Listener };
const sideNames = ['service', 'twin', 'reference'] as const;
type Seen = Record<keyof Sides, Round[]>;

/**
 * How much of a bare server's throughput is left once everything a request needs is done, and what a
 * request costs in processor time, in the service and in PostgreSQL, against a twin that does the same.
 */
export const measureHttp = async (bench: Bench): Promise<void> => {
  const tenants = await Promise.all(Array.from({ length: tenantCount }, () => fill(bench)));
  const { databaseUrl: DATABASE_URL, service } = bench;
  const BASE_URL = bench.service.url;
  const PLANS = JSON.stringify(overridePlans(plans));
  const reference = await startListener('reference', { DATABASE_URL });
  const twin = await startListener('twin', { DATABASE_URL, BASE_URL, PLANS });
  try {
    print(
      `http: ${connections} connections, ${tenantCount} accounts, ${rounds} alternating rounds of ${roundMs} ms`,
    );
    for (const name of ['account', 'servers'] as const) {
      await requireEqualAnswers(service, twin, tenants, name);
      await measureSides(bench, name, targetsFor(name, { service, twin, reference }, tenants));
    }
  } finally {
    await twin.stop();
    await reference.stop();
  }
};

const fill = async (bench: Bench): Promise<Tenant> => {
  const tenant = await bench.newTenant();
  let botId = '';
  for (let i = 1; i <= bots; i++) botId = await createBot(bench, tenant, i);
  for (let i = 1; i <= servers; i++) await createServer(bench, tenant, botId, i);
  return tenant;
};

const targetsFor = (name: Name, sides: Sides, tenants: Tenant[]): Record<keyof Sides, Target> => {
  const target = (side: keyof Sides, listener: Listener): Target => ({
    name: `GET /${name}, ${side}`,
    listener,
    requests: tenants.map(({ key, accountId }) =>
      side === 'reference'
        ? requestText({ origin: listener.url, path: `/${name}/${accountId}` })
        : requestText({ origin: listener.url, path: `/api/v1/${name}`, key }),
    ),
  });
  return {
    service: target('service', sides.service),
    twin: target('twin', sides.twin),
    reference: target('reference', sides.reference),
  };
};

/** A twin that answers something else would be a measure of something else. */
const requireEqualAnswers = async (
  service: Listener,
  twin: Listener,
  tenants: Tenant[],
  name: Name,
): Promise<void> => {
  for (const { key } of tenants) {
    const [own, other] = await Promise.all(
      [service, twin].map(async ({ url: origin }) => {
        const connection = await openConnection(origin);
        const request = requestText({ origin, path: `/api/v1/${name}`, key });
        const { status, body } = await connection.send(request);
        connection.close();
        return `${status} ${body.toString()}`;
      }),
    );
    if (own !== other) throw new Error(`The twin answers otherwise:\n${own}\n${other}`);
  }
};

const measureSides = async (
  bench: Bench,
  name: Name,
  targets: Record<keyof Sides, Target>,
): Promise<void> => {
  const seen: Seen = { service: [], twin: [], reference: [] };
  for (let i = 0; i < warmUpRounds + rounds; i++) {
    for (const side of sideNames) {
      const round = await measureRound(bench, targets[side]);
      if (i >= warmUpRounds) seen[side].push(round);
    }
  }
  printTable(
    ['', 'requests/s', 'p50', 'p99', 'processor/request', 'in PostgreSQL', 'together', 'memory'],
    sideNames.map((side) => rowOf(targets[side], seen[side])),
  );
  printRatios(name, seen);
};

const printRatios = (name: Name, { service, twin, reference }: Seen): void => {
  const ratioTo = (others: Round[], part: (round: Round) => number) =>
    median(service.map((round, i) => part(round) / part(others[i] ?? round)));
  const throughput = ratioTo(reference, ({ perSecond }) => perSecond);
  const processor = ratioTo(twin, togetherUs);
  const ofTwin = ratioTo(twin, ({ perSecond }) => perSecond);
  const goal = processorGoals[name];
  print(
    `  throughput: ${throughput.toFixed(2)} of the reference, goal ≥ ${throughputGoal}: ${verdict(throughput >= throughputGoal)}; ${ofTwin.toFixed(2)} of the twin`,
  );
  print(
    `  processor time with PostgreSQL: ${processor.toFixed(2)} of the twin, goal ≤ ${goal}: ${verdict(processor <= goal)}\n`,
  );
};

const togetherUs = ({ processorUs, databaseUs }: Round): number => processorUs + databaseUs;

const rowOf = ({ name }: Target, seen: readonly Round[]): string[] => {
  const middle = (part: (round: Round) => number) => median(seen.map(part));
  const microseconds = (part: (round: Round) => number) => `${middle(part).toFixed(0)} µs`;
  return [
    name,
    middle(({ perSecond }) => perSecond).toFixed(0),
    milliseconds(middle(({ p50 }) => p50)),
    milliseconds(middle(({ p99 }) => p99)),
    microseconds(({ processorUs }) => processorUs),
    microseconds(({ databaseUs }) => databaseUs),
    microseconds(togetherUs),
    `${middle(({ memoryMiB }) => memoryMiB).toFixed(0)} MiB`,
  ];
};

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAnalytics } from './analytics/analytics.ts';
import { measureBackups } from './backups/backups.ts';
import { measureBilling } from './billing/billing.ts';
import { measureCli } from './cli.ts';
import { measureEvents } from './events/events.ts';
import { measureGateway } from './gateway/gateway.ts';
import { measureSoak } from './gateway/soak.ts';
import { measureHttp } from './http/http.ts';
import { measureIdle } from './idle.ts';
import { type Bench, startBench, stopAllBenches } from './lib/environment.ts';
import { print, seconds } from './lib/print.ts';
import { measureListings } from './listings/listings.ts';
import { measureDelete } from './members/delete.ts';
import { measureMembers } from './members/members.ts';
import { printPlans } from './members/query-plans.ts';
import { measureSearches } from './members/searches.ts';
import { measureProcesses } from './processes.ts';
import { measureProtection } from './protection/protection.ts';
import { measurePulls } from './pulls/pulls.ts';
import { measureMonth } from './scale/month.ts';
import { measureScale } from './scale/scale.ts';
import { measureVerification } from './verification/verification.ts';

type Measure = (bench: Bench) => Promise<void>;

/** In this order: `delete` removes the server that `members` reads. */
const measured: Record<string, Measure> = {
  http: measureHttp,
  processes: measureProcesses,
  verification: measureVerification,
  billing: measureBilling,
  listings: measureListings,
  backups: measureBackups,
  pulls: measurePulls,
  members: measureMembers,
  searches: measureSearches,
  analytics: measureAnalytics,
  delete: measureDelete,
  events: measureEvents,
  gateway: measureGateway,
  protection: measureProtection,
  idle: measureIdle,
  cli: measureCli,
};

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '60' },
    small: { type: 'string' },
    large: { type: 'string' },
  },
});

/** Run only by name: one measures nothing, the others take long or need what `bench:fill` filled. */
const onRequest: Record<string, Measure> = {
  plans: printPlans,
  soak: () => measureSoak(Number(values.minutes)),
  scale: () => measureScale(values.small, values.large),
  month: () => measureMonth(values.large),
};

const chooseBenches = (names: readonly string[]): Measure[] => {
  if (names.length === 0) return Object.values(measured);
  const all = { ...onRequest, ...measured };
  const unknown = names.filter((name) => !(name in all));
  if (unknown.length > 0) {
    throw new Error(`No bench ${unknown.join(', ')}; there are ${Object.keys(all).join(', ')}`);
  }
  return Object.entries(all)
    .filter(([name]) => names.includes(name))
    .map(([, measure]) => measure);
};

const run = async (): Promise<void> => {
  const chosen = chooseBenches(asked);
  const startedAt = performance.now();
  print(`${cpus().length} cores, ${process.arch}, Bun ${Bun.version}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopAllBenches().finally(() => process.exit(1)));
  }
  const bench = await startBench();
  try {
    for (const measure of chosen) await measure(bench);
  } finally {
    await bench.stop();
  }
  print(`done in ${seconds(performance.now() - startedAt)}`);
};

run().then(
  // What a bench left open, such as an idle connection, must not keep it from ending.
  () => process.exit(0),
  (error: unknown) => {
    print(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);

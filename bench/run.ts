import { cpus } from 'node:os';
import { measureAnalytics } from './analytics.ts';
import { measureBackups } from './backups.ts';
import { measureBilling } from './billing.ts';
import { measureDelete } from './delete.ts';
import { measureHttp } from './http.ts';
import { measureIdle } from './idle.ts';
import { measureListings } from './listings.ts';
import { measureMembers } from './members.ts';
import { printPlans } from './plans.ts';
import { print, seconds } from './print.ts';
import { measurePulls } from './pulls.ts';
import { measureSearches } from './searches.ts';
import { measureVerification } from './verification.ts';
import { createWorld, stopAllWorlds, type World } from './world.ts';

type Part = (world: World) => Promise<void>;

/** In this order: the last one deletes what the one before it reads. */
const measured: Record<string, Part> = {
  http: measureHttp,
  verification: measureVerification,
  billing: measureBilling,
  listings: measureListings,
  backups: measureBackups,
  pulls: measurePulls,
  members: measureMembers,
  searches: measureSearches,
  analytics: measureAnalytics,
  delete: measureDelete,
  idle: measureIdle,
};
/** Only on request: nothing in it is a measurement. */
const onRequest: Record<string, Part> = { plans: printPlans };

const chooseParts = (names: readonly string[]): Part[] => {
  if (names.length === 0) return Object.values(measured);
  const known = { ...onRequest, ...measured };
  const unknown = names.filter((name) => !(name in known));
  if (unknown.length > 0) {
    throw new Error(`No part ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`);
  }
  return Object.entries(known)
    .filter(([name]) => names.includes(name))
    .map(([, part]) => part);
};

const run = async (): Promise<void> => {
  const parts = chooseParts(process.argv.slice(2));
  const startedAt = performance.now();
  print(`${cpus().length} cores, ${process.arch}, Bun ${Bun.version}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopAllWorlds().finally(() => process.exit(1)));
  }
  const world = await createWorld();
  try {
    for (const part of parts) await part(world);
  } finally {
    await world.stop();
  }
  print(`done in ${seconds(performance.now() - startedAt)}`);
};

run().catch((error: unknown) => {
  print(error instanceof Error ? error.message : String(error));
  process.exit(1);
});

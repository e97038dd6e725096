import { z } from 'zod';
import { closeDatabase, connectDatabase } from '../../src/db/connect.ts';
import { eventually } from '../harness/eventually.ts';
import { connectSql } from '../harness/running-service.ts';
import { createRandom } from '../nemesis/sweep.ts';
import { checkAccounts, checkJobs, checkPayments } from './checks.ts';
import { createCommunity } from './community.ts';
import { startDisturbing } from './disturb.ts';
import { type Growth, growthOf, type TableGrowth, tableGrowthOf } from './growth.ts';
import { type Installation, startInstallation } from './installation.ts';
import { startLoad } from './load.ts';
import { createProtocol, type Protocol } from './protocol.ts';
import { readTableSizes } from './queries.ts';
import { startSampling } from './samples.ts';

type SoakOptions = {
  minutes: number;
  communities: number;
  seed: number;
  /** The mean time between two disturbances. */
  meanPauseMs: number;
  say(line: string): void;
};

export type SoakResult = {
  protocol: Protocol;
  growth: Growth[];
  tables: TableGrowth[];
  /** Messages that processes logged as errors, and how often. */
  errors: Map<string, number>;
};

/** After this part of the time tables have what they have in use. */
const settledShare = 1 / 4;

/**
 * Mixed load on a whole installation while its processes and its database are killed at random. At the
 * end everything acknowledged is there once, every job ended right, and nothing has grown that should
 * not.
 */
export const soak = async (options: SoakOptions): Promise<SoakResult> => {
  const installation = await startInstallation();
  try {
    return await soakInstallation(installation, options);
  } finally {
    await installation.stop();
  }
};

const soakInstallation = async (
  installation: Installation,
  { minutes, communities: count, seed, meanPauseMs, say }: SoakOptions,
): Promise<SoakResult> => {
  const startedAt = Date.now();
  const sayWhen = (line: string) =>
    say(`${((Date.now() - startedAt) / 60_000).toFixed(1).padStart(5)}  ${line}`);
  const protocol = createProtocol(sayWhen);
  const { url } = installation.postgres;
  const db = connectDatabase(url, { name: 'holdfast-soak', poolSize: 2 });
  const sql = connectSql(withName(url));
  const communities = await Promise.all(
    Array.from({ length: count }, (_, nth) => createCommunity({ installation, db, protocol }, nth)),
  );
  const load = startLoad(installation, communities, protocol);
  const sampling = startSampling(installation, sql);
  const disturbing = startDisturbing(installation, protocol, {
    ...{ random: createRandom(seed), meanPauseMs, say: sayWhen },
  });
  await Bun.sleep(minutes * 60_000 * settledShare);
  const before = await eventually(60_000, () => readTableSizes(sql));
  await Bun.sleep(minutes * 60_000 * (1 - settledShare));
  await disturbing.end();
  sayWhen('no more disturbances; what is under way ends');
  const actors = await load.end();
  const series = await sampling.end();
  for (const { changes, newcomers } of actors) {
    await changes.check();
    await newcomers.check();
  }
  const sent = actors.reduce((sum, { payments }) => sum + payments.sent(), 0);
  await checkPayments(sql, sent, protocol);
  await checkAccounts({ db, sql }, communities, protocol);
  await checkJobs(sql, protocol);
  const tables = tableGrowthOf(before, await readTableSizes(sql));
  await closeDatabase(db);
  const errors = errorsOf(installation);
  return { protocol, growth: growthOf(series), tables, errors };
};

const withName = (url: string): string => {
  const named = new URL(url);
  named.searchParams.set('application_name', 'holdfast-soak');
  return named.href;
};

const logLine = z.object({ level: z.literal('error'), msg: z.string() });

const errorsOf = ({ processes }: Installation): Map<string, number> => {
  const errors = new Map<string, number>();
  for (const { name, output } of processes) {
    for (const line of output().split('\n')) {
      const { data } = logLine.safeParse(line.startsWith('{') ? JSON.parse(line) : undefined);
      if (!data) continue;
      const what = `${name}: ${data.msg}`;
      errors.set(what, (errors.get(what) ?? 0) + 1);
    }
  }
  return errors;
};

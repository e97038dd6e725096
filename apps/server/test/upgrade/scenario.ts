import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { edges } from '../harness/network/load-balancers.ts';
import { connectSql, makeFolder, makePlansFile } from '../harness/running-service.ts';
import { runAdminOf } from '../harness/service-process.ts';
import { startTestSimulator } from '../harness/simulator/start.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { type JobOutcome, slowPulls, startLoad } from './load.ts';
import type { Sources } from './releases.ts';
import { countRequests } from './requests.ts';
import type { Seed, SeedInput } from './seed.ts';

type Options = {
  databaseUrl: string;
  from: Sources;
  to: Sources;
  /** How long each version is alone before and after it is rolled. */
  restMs: number;
  pulls: number;
  membersOfEach: number;
  /** All processes are replaced together, which is faster. */
  isAtOnce?: boolean;
  say?(line: string): void;
};

type Phase = {
  name: string;
  seconds: number;
  requests: number;
  failures: Map<string, number>;
  jobs: JobOutcome[];
};

export type Report = { phases: Phase[]; violations: string[]; notes: string[] };

/**
 * Rolls a fleet of processes under load from one version to another and back, over one database that the
 * newer version migrates first.
 */
export const upgradeUnderLoad = async (options: Options): Promise<Report> => {
  const { from, to, restMs, isAtOnce = false, say = () => undefined } = options;
  const simulator = await startTestSimulator();
  const env = {
    ...{ DATABASE_URL: options.databaseUrl, DATA_DIR: await makeFolder(), DB_POOL: '6' },
    ...{ PLANS_FILE: await makePlansFile(), PLATFORM_API_URL: simulator.apiUrl },
  };
  say(`starting ${from.name}`);
  const fleet = await startFleet(env, from, isAtOnce ? 2 : 1);
  const edge = await startEdge(fleet.urls);
  try {
    const input = { url: edge.url, simulatorUrl: simulator.url, dataDir: env.DATA_DIR };
    const seed = await runSeed(from, { ...options, ...input });
    await slowPulls(simulator);
    const requests = countRequests(edge.url, { authorization: `Bearer ${seed.key}` });
    const load = startLoad({ requests, simulator, seed });
    const phases: Phase[] = [];
    const phase = async (name: string, work: () => Promise<unknown>) => {
      say(name);
      const startedAt = performance.now();
      await work();
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      phases.push({ name, seconds, ...requests.take(), jobs: load.takeJobs() });
    };
    await phase(`${from.name} alone`, () => Bun.sleep(restMs));
    await phase('migration', () => migrate(to, env));
    await phase(`to ${to.name}`, () => fleet.roll(to, isAtOnce));
    await phase(`${to.name} alone`, () => Bun.sleep(restMs));
    await phase(`back to ${from.name}`, () => fleet.roll(from, isAtOnce));
    await phase(`${from.name} alone again`, () => Bun.sleep(restMs));
    let writes = 0;
    await phase('last jobs', async () => {
      ({ writes } = await load.end());
    });
    const checked = await checkEnd({ fleet, env, seed, writes, versions: [from, to] });
    await fleet.stop();
    return { phases, ...checked };
  } finally {
    fleet.kill();
    await edge.stop();
    await simulator.stop();
  }
};

const startEdge = (urls: string[]) => {
  const [, start] = edges.find(([program]) => program === 'haproxy') ?? [];
  if (!start) throw new Error('There is no load balancer');
  return start(urls);
};

/** By the older version's own sources: this file stands there only if that version has it. */
const runSeed = async ({ folder }: Sources, options: SeedInput): Promise<Seed> => {
  const { databaseUrl, dataDir, url, simulatorUrl, pulls, membersOfEach } = options;
  const input = { databaseUrl, dataDir, url, simulatorUrl, pulls, membersOfEach };
  const file = join(folder, 'apps/server/test/upgrade/seed.ts');
  await mkdir(dirname(file), { recursive: true });
  const own = join(import.meta.dir, 'seed.ts');
  if (own !== file) await cp(own, file);
  const command = [process.execPath, '--no-env-file', file, JSON.stringify(input)];
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'inherit' });
  const said = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The load could not be prepared: ${said}`);
  return JSON.parse(said);
};

const migrate = async ({ folder }: Sources, env: Record<string, string>): Promise<void> => {
  const { exitCode, stderr } = await runAdminOf(folder, env, 'migrate');
  if (exitCode !== 0) throw new Error(`No migration: ${stderr}`);
};

type End = {
  fleet: Fleet;
  env: Record<string, string>;
  seed: Seed;
  writes: number;
  versions: Sources[];
};

/** What must hold at the end, beside the requests and jobs themselves. */
const checkEnd = async ({ fleet, env, seed, writes, versions }: End) => {
  const sql = connectSql(env.DATABASE_URL ?? '');
  const [stored] = await sql`
    select count(*)::int as count from blacklist where account_id = ${seed.accountId}`;
  const jobs: { name: string; state: string; count: number }[] = await sql`
    select name, state::text, count(*)::int as count from pgboss.job group by 1, 2`;
  const failed = jobs.filter(({ state }) => state === 'failed' || state === 'retry');
  const completed = jobs.filter(({ state }) => state === 'completed');
  const violations = [
    ...(stored?.count === writes ? [] : [`${stored?.count} of ${writes} writes are stored`]),
    ...failed.map(({ name, state, count }) => `${count} jobs of ${name} are ${state}`),
    ...fleet.errors().map((line) => `logged: ${line.slice(0, 400)}`),
  ];
  const notes = [
    `${writes} writes acknowledged, ${stored?.count} stored`,
    `${completed.reduce((sum, { count }) => sum + count, 0)} jobs completed, ${failed.length} queues with failed ones`,
  ];
  for (const { name, folder } of versions) {
    const verified = await runAdminOf(folder, env, 'verify-audit', '--user', seed.accountId);
    if (verified.exitCode !== 0) violations.push(`audit chain by ${name}: ${verified.stderr}`);
    else notes.push(`audit chain by ${name}: ${verified.stdout.trim()}`);
  }
  return { violations, notes };
};

/** All that is wrong with what was seen. */
export const faultsOf = ({ phases, violations }: Report): string[] => [
  ...phases.flatMap(({ name, failures, jobs }) => [
    ...[...failures].map(([failure, count]) => `${name}: ${count} × ${failure}`),
    ...jobs.flatMap(({ kind, fault }) => (fault ? [`${name}: ${kind} ${fault}`] : [])),
  ]),
  ...violations,
];

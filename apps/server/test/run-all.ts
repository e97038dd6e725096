import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SQL } from 'bun';
import { failedFiles } from './failed-files.ts';
import { watchForHang } from './hang.ts';
import { makeTemplate, startTestServer } from './harness/database.ts';
import { testMs } from './harness/eventually.ts';
import { poolerEnvironment } from './harness/pooled-url.ts';
import { type Pooler, pgbouncer, startPooler } from './harness/pooler.ts';

/**
 * `npm test` and `npm run test:slow` run the test files over one PostgreSQL, started and migrated once.
 * A file that is run alone starts one for itself. With `npm test` the files of one process share loaded
 * modules: loading them again for each file would take longer than most tests.
 *
 * A file named `*.slow.test.ts` waits in real time, measures time or memory, starts and kills several
 * processes, or takes every way through a page. Those files run only in `npm run test:slow`: three at a time,
 * and those that say `Runs alone` after them. The files that check bounds of time or memory run there once
 * more, alone too (see `harness/bounds.ts`).
 *
 * With `--pooled` (`npm run test:pgbouncer`) the services reach their databases through a PgBouncer in
 * transaction mode with few connections. The tests' own connections do not.
 *
 * Properties take one seed, so that what a run finds is found each time; `HOLDFAST_TEST_SEED` is another. Some
 * are tried more often in `npm run test:slow` (see `harness/tries.ts`).
 *
 * Which files start first is decided by how long each took the last time on this machine. A file that hangs
 * is named and ended.
 *
 * With `HOLDFAST_TEST_SECOND_TRY=true` a few failed files of `npm run test:slow` are run once more, alone: a
 * machine that is taken away for seconds fails tests of deadlines that hold. What passes only then is named.
 */
const [isSlow, isPooled] = ['--slow', '--pooled'].map((option) => process.argv.includes(option));
const chosen = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'))
  .map((path) => path.replace(/^\.\//, ''));
const filesAtATime = 5;
/** The first line of a long test file: what is known of it before its first run on a machine. */
const longFile = /^\/\/ Takes about (\d+) s: started before shorter ones\.$/m;
const usualSeconds = 3;
/** How long each file took the last time, in the form of Bun's `--timings`. */
const lastTimes = 'node_modules/.cache/holdfast-test-times.json';
const mayTryAgain = isSlow && process.env.HOLDFAST_TEST_SECOND_TRY === 'true';
/** More failed files than this are no matter of a busy machine. */
const maxSecondTries = 12;
/** A process for each file, so that none sees what another has left in memory. */
const slowFilesAtATime = 3;
/** The first line of a slow file whose result would depend on what runs beside it. */
const runsAlone = /^\/\/ Runs alone: /;
const settings = {
  // Each file has pools of its own, and so have the processes that some files start.
  max_connections: 400,
  // The data is thrown away after the run; crashes of PostgreSQL are tested on other servers.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '1GB',
  checkpoint_timeout: '1h',
  // It would visit hundreds of databases that are used for seconds.
  autovacuum: 'off',
  // What is read is in memory: asking another process for it takes longer.
  io_method: 'sync',
};

const server = await startTestServer();
const folder = mkdtempSync(join(tmpdir(), 'holdfast-tests-'));
let exitCode = 1;
let isStopped = false;
const poolers: Pooler[] = [];
try {
  exitCode = await runTests(await prepare());
} finally {
  for (const pooler of poolers) await pooler.stop();
  await server.clear();
  rmSync(folder, { recursive: true });
}
// Idle connections of a pool would delay the end by seconds.
process.exit(exitCode);

async function prepare(): Promise<Record<string, string>> {
  if (process.env.DATABASE_URL) return {};
  const sql = new SQL(server.url, { max: 1 });
  for (const [setting, value] of Object.entries(settings)) {
    await sql.unsafe(`alter system set ${setting} = '${value}'`);
  }
  await askForCheapPasswords(sql);
  await sql.close();
  const url = await server.restart();
  const template = await makeTemplate(url);
  return {
    ...{ DATABASE_URL: url, HOLDFAST_TEST_TEMPLATE: template },
    ...(isPooled && (await startPooling(url))),
  };
}

/** Every file opens many connections, and what PostgreSQL asks for by itself costs each 4 ms of work. */
async function askForCheapPasswords(sql: SQL): Promise<void> {
  const [{ hba_file: file }] = await sql`show hba_file`;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('scram-sha-256', 'md5'));
  await sql.unsafe(`set password_encryption = 'md5'`);
  await sql.unsafe(`alter role current_user password '${new URL(server.url).password}'`);
}

/**
 * Fewer connections for a database than one service has. The limits are those that a role would have, in a
 * test's own process as much longer as tests wait longer.
 */
async function startPooling(url: string): Promise<Record<string, string>> {
  if (!pgbouncer) throw new Error('There is no pgbouncer on this machine');
  const start = async (timeoutMs: number) => {
    const pooler = await startPooler(url, {
      mode: 'transaction',
      more: ['default_pool_size = 6', 'max_client_conn = 2000', 'server_idle_timeout = 5'],
      connectQuery: `set statement_timeout = ${timeoutMs}; set idle_in_transaction_session_timeout = 60000; set max_parallel_workers_per_gather = 0`,
    });
    poolers.push(pooler);
    return pooler.urlOf(url);
  };
  return {
    ...poolerEnvironment('service', await start(16_000)),
    ...poolerEnvironment('process', await start(4000)),
  };
}

/**
 * Bun's arguments, the files, and by how much longer `eventually` waits: a machine may be slow, and in
 * parallel more so.
 */
type Round = { how: string[]; files: string[]; patience: number };

function rounds(): Round[] {
  const atOnce = (files: number) => [`--parallel=${files}`, '--update-timings'];
  const inOneProcess = [...atOnce(filesAtATime), '--no-isolate'];
  if (!isSlow) {
    const isQuick = (path: string) => !path.endsWith('.slow.test.ts');
    const files = chosen.length > 0 ? chosen : testFiles().filter(isQuick);
    return [{ how: inOneProcess, files, patience: 4 }];
  }
  if (chosen.length > 0) return [{ how: ['--isolate'], files: chosen, patience: 1 }];
  const slow = testFiles().filter((path) => path.endsWith('.slow.test.ts') || checksBounds(path));
  const isAlone = (path: string) => checksBounds(path) || runsAlone.test(textOf(path));
  const hasMoreTries = (path: string) => textOf(path).includes("/harness/tries.ts'");
  return [
    { how: inOneProcess, files: testFiles().filter(hasMoreTries), patience: 4 },
    {
      how: ['--isolate', ...atOnce(slowFilesAtATime)],
      files: slow.filter((path) => !isAlone(path)),
      patience: 4,
    },
    { how: ['--isolate'], files: slow.filter(isAlone), patience: 1 },
  ];
}

function testFiles(): string[] {
  return [...new Bun.Glob('{apps,packages}/*/{src,test}/**/*.test.ts').scanSync('.')].sort();
}

function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}

function checksBounds(path: string): boolean {
  return textOf(path).includes("/harness/bounds.ts'");
}

/**
 * Every file needs a time: Bun starts those without one before all others, so the long ones would run last.
 * Bun writes what each took into the first of the two files; a file that this machine has not run yet is in
 * the second.
 */
function timings(files: string[]): string[] {
  mkdirSync(dirname(lastTimes), { recursive: true });
  const known = new Set(Object.keys(readTimes()));
  const estimates = files
    .filter((path) => !known.has(path))
    .map((path) => [path, Number(longFile.exec(textOf(path))?.[1] ?? usualSeconds) * 1000]);
  const file = join(folder, 'estimates.json');
  writeFileSync(file, JSON.stringify({ version: 1, files: Object.fromEntries(estimates) }));
  return [`--timings=${lastTimes}`, `--timings=${file}`];
}

function readTimes(): Record<string, number> {
  return existsSync(lastTimes) ? JSON.parse(textOf(lastTimes)).files : {};
}

/** Also after a round that failed: one run tells all that is wrong. */
async function runTests(env: Record<string, string>): Promise<number> {
  const codes: number[] = [];
  for (const round of rounds()) {
    if (!isStopped) codes.push(await runRound(round, env));
  }
  printSlowest(rounds().flatMap(({ files }) => files));
  return Math.max(...codes);
}

function printSlowest(files: string[]): void {
  const times = readTimes();
  const slowest = files.toSorted((a, b) => (times[b] ?? 0) - (times[a] ?? 0)).slice(0, 10);
  const lines = slowest.map((path) => `${((times[path] ?? 0) / 1000).toFixed(1)} s  ${path}`);
  process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n`);
}

async function runRound(round: Round, env: Record<string, string>): Promise<number> {
  const report = join(folder, 'report.xml');
  rmSync(report, { force: true });
  const code = await runFiles(round, env, report);
  if (code === 0 || isStopped || !mayTryAgain) return code;
  const files = failedFiles(round.files, report);
  if (files.length === 0 || files.length > maxSecondTries) return code;
  process.stdout.write(`\nOnce more, alone: ${files.join(' ')}\n\n`);
  const secondCode = await runFiles({ ...round, how: ['--isolate'], files }, env, report);
  if (secondCode === 0) {
    process.stdout.write(`\nPassed only the second time, alone: ${files.join(' ')}\n`);
  }
  return secondCode;
}

async function runFiles(
  { how, files, patience }: Round,
  env: Record<string, string>,
  report: string,
): Promise<number> {
  // Bun takes an argument with a dot and a slash for a file, others for parts of names.
  const named = files.map((path) => `./${path}`);
  const reporting = ['--reporter=junit', `--reporter-outfile=${report}`];
  const args = ['--timeout', String(testMs), ...reporting, ...how, ...timings(files), ...named];
  const running = mkdtempSync(join(folder, 'running-'));
  const tests = Bun.spawn([process.execPath, 'test', ...args], {
    env: {
      ...process.env,
      ...env,
      HOLDFAST_TEST_PATIENCE: String(patience),
      HOLDFAST_TEST_RUNNING: running,
      HOLDFAST_TEST_TRIES: isSlow ? '4' : '1',
    },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isStopped = true;
      tests.kill(signal);
    });
  }
  const stopWatching = watchForHang(running, tests);
  const code = await tests.exited;
  stopWatching();
  return code;
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { makeTemplate, startTestServer } from './harness/database.ts';

/**
 * `npm test` and `npm run test:slow` run the test files over one PostgreSQL, started and migrated once.
 * A file that is run alone starts one for itself. With `npm test` the files of one process share loaded
 * modules: loading them again for each file would take longer than most tests.
 *
 * A file named `*.slow.test.ts` waits in real time, measures time or memory, starts and kills several
 * processes, or takes every way through a page. Those files run only in `npm run test:slow`, one at a
 * time. The files that check bounds of time or memory run there once more (see `harness/bounds.ts`).
 */
const [firstArgument, ...otherArguments] = process.argv.slice(2);
const isSlow = firstArgument === '--slow';
const chosen = isSlow ? otherArguments : process.argv.slice(2);
const filesAtATime = 4;
/** The first line of a long test file; started first, it does not run alone at the end. */
const longFile = /^\/\/ Takes about (\d+) s: `npm test` starts it first\.$/m;
const usualSeconds = 3;
/** In parallel everything takes longer: the factor by which `eventually` waits longer. */
const patience = isSlow ? 1 : 4;
const settings = {
  // Each file has pools of its own, and so have the processes that some files start.
  max_connections: 400,
  // The data is thrown away after the run; crashes of PostgreSQL are tested on other servers.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  // It would visit hundreds of databases that are used for seconds.
  autovacuum: 'off',
};

const server = await startTestServer();
const folder = mkdtempSync(join(tmpdir(), 'holdfast-tests-'));
let exitCode = 1;
try {
  exitCode = await runTests(await prepare());
} finally {
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
  await sql.close();
  const url = await server.restart();
  return { DATABASE_URL: url, HOLDFAST_TEST_TEMPLATE: await makeTemplate(url) };
}

function testCommand(): string[] {
  const command = [process.execPath, 'test', '--timeout'];
  if (!isSlow) {
    const how = [`--parallel=${filesAtATime}`, '--no-isolate', `--timings=${writeTimings()}`];
    return [...command, '120000', ...how, '--path-ignore-patterns=**/*.slow.test.ts', ...chosen];
  }
  return [...command, '120000', '--isolate', ...(chosen.length > 0 ? chosen : slowFiles())];
}

/**
 * How long the files take, in the form of Bun's `--timings`. Every file needs a time: Bun starts those
 * without one before all others, so the long ones would run last.
 */
function writeTimings(): string {
  const timings = testFiles().map((path) => {
    const seconds = longFile.exec(readFileSync(path, 'utf8'))?.[1] ?? usualSeconds;
    return [path, Number(seconds) * 1000];
  });
  const file = join(folder, 'timings.json');
  writeFileSync(file, JSON.stringify({ version: 1, files: Object.fromEntries(timings) }));
  return file;
}

function slowFiles(): string[] {
  const isSlowFile = (path: string) =>
    path.endsWith('.slow.test.ts') || readFileSync(path, 'utf8').includes("/harness/bounds.ts'");
  return testFiles()
    .filter(isSlowFile)
    .map((path) => `./${path}`);
}

function testFiles(): string[] {
  return [...new Bun.Glob('{apps,packages}/*/{src,test}/**/*.test.ts').scanSync('.')];
}

async function runTests(env: Record<string, string>): Promise<number> {
  const tests = Bun.spawn(testCommand(), {
    env: { ...process.env, ...env, HOLDFAST_TEST_PATIENCE: String(patience) },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
  return tests.exited;
}

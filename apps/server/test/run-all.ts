import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { makeTemplate, startTestServer } from './database.ts';

/**
 * `npm test` and `npm run test:slow`: the test files over one PostgreSQL, started and migrated once.
 * A file that is run alone starts one for itself. The files that one process of `npm test` runs share its
 * modules, which would take longer to load for each than most tests take.
 *
 * A file named `*.slow.test.ts` waits in real time, measures time or memory, starts and kills several
 * processes, or walks every way through a page. Those run one after the other, with nothing beside them,
 * and only in `npm run test:slow`. So do once more the files that hold to bounds of time or memory among
 * other things: see `bounds.ts`.
 */
const [firstArgument, ...otherArguments] = process.argv.slice(2);
const isSlow = firstArgument === '--slow';
const chosen = isSlow ? otherArguments : process.argv.slice(2);
const filesAtATime = 4;
/** Begun first, so that nobody waits for one of them in the end. */
const longestFiles = join(import.meta.dir, 'longest-files.json');
/** Beside others everything takes longer: how much longer `eventually` waits than it was told to. */
const patience = isSlow ? 1 : 4;
const settings = {
  // Each file has pools of its own, and some start processes that have theirs.
  max_connections: 400,
  // Nobody will ever read it again: crashes of PostgreSQL are tested on others.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  // It would look after hundreds of databases that are used for seconds.
  autovacuum: 'off',
};

const server = await startTestServer();
let exitCode = 1;
try {
  exitCode = await runTests(await prepare());
} finally {
  await server.clear();
}
// Connections that idle in a pool would hold it up for seconds.
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
    const how = [`--parallel=${filesAtATime}`, '--no-isolate', `--timings=${longestFiles}`];
    return [...command, '120000', ...how, '--path-ignore-patterns=**/*.slow.test.ts', ...chosen];
  }
  return [...command, '120000', '--isolate', ...(chosen.length > 0 ? chosen : slowFiles())];
}

function slowFiles(): string[] {
  const files = [...new Bun.Glob('{apps,packages}/*/{src,test}/**/*.test.ts').scanSync('.')];
  const isSlowFile = (path: string) =>
    path.endsWith('.slow.test.ts') || readFileSync(path, 'utf8').includes("/bounds.ts'");
  return files.filter(isSlowFile).map((path) => `./${path}`);
}

async function runTests(env: Record<string, string>): Promise<number> {
  const tests = Bun.spawn(testCommand(), {
    env: { ...process.env, ...env, HOLDFAST_TEST_PATIENCE: String(patience) },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
  return tests.exited;
}

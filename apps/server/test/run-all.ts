import { readFileSync } from 'node:fs';
import { SQL } from 'bun';
import { makeTemplate, startTestServer } from './database.ts';

/**
 * `npm test` and `npm run test:slow`: the test files over one PostgreSQL, started and migrated once.
 * Bun loads each file into a world of its own, so a file that is run alone starts one for itself.
 *
 * A file named `*.slow.test.ts` waits in real time, measures time or memory, or starts and kills several
 * processes. Those run one after the other, with nothing beside them, and only in `npm run test:slow`. So
 * do once more the files that hold to bounds of time or memory among other things: see `bounds.ts`.
 */
const [firstArgument, ...otherArguments] = process.argv.slice(2);
const isSlow = firstArgument === '--slow';
const chosen = isSlow ? otherArguments : process.argv.slice(2);
const filesAtATime = 6;
/** Beside others everything takes longer: how much longer `eventually` waits than it was told to. */
const patience = isSlow ? 1 : 4;
/** Each file has pools of its own, and some start processes that have theirs. */
const connections = 400;

const server = await startTestServer();
try {
  process.exitCode = await runTests(await prepare());
} finally {
  await server.clear();
}

async function prepare(): Promise<Record<string, string>> {
  if (process.env.DATABASE_URL) return {};
  const sql = new SQL(server.url, { max: 1 });
  await sql.unsafe(`alter system set max_connections = ${connections}`);
  // Nobody will ever read it again: crashes of PostgreSQL are tested on others.
  for (const safety of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    await sql.unsafe(`alter system set ${safety} = off`);
  }
  await sql.close();
  const url = await server.restart();
  return { DATABASE_URL: url, HOLDFAST_TEST_TEMPLATE: await makeTemplate(url) };
}

function testCommand(): string[] {
  const command = [process.execPath, 'test', '--timeout'];
  if (!isSlow) {
    const parallel = `--parallel=${filesAtATime}`;
    return [...command, '120000', parallel, '--path-ignore-patterns=**/*.slow.test.ts', ...chosen];
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

import { SQL } from 'bun';
import { makeTemplate, startTestServer } from './database.ts';

/**
 * `npm test`: every test file over one PostgreSQL, started and migrated once. Bun loads each file into
 * a world of its own, so a file that is run alone starts one for itself.
 */
const filesAtATime = 3;
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

async function runTests(env: Record<string, string>): Promise<number> {
  const command = [process.execPath, 'test', '--timeout', '30000', `--parallel=${filesAtATime}`];
  const tests = Bun.spawn([...command, ...process.argv.slice(2)], {
    env: { ...process.env, ...env },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
  return tests.exited;
}

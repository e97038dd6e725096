import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { startEmbeddedPostgres } from '../apps/server/src/db/embedded/embedded.ts';
import { print, printTable, verdict } from './lib/print.ts';
import { type Listener, residentMiB, startListener } from './lib/processes.ts';
import { countAllTransactions, countServiceConnections } from './lib/queries.ts';
import { median } from './lib/statistics.ts';

const settleMs = 75_000;
const idleMs = 30_000;
const looks = 15;
const goals = { transactionsPerSecond: 5, residentMiB: 150, connections: 10 };

const crews = [['all'], ['api', 'api', 'worker', 'worker']];

/** What processes cost while nothing happens, on a PostgreSQL that nobody else uses. */
export const measureIdle = async (): Promise<void> => {
  print(`idle: nothing happens for ${idleMs / 1000} s`);
  const rows = [];
  for (const roles of crews) rows.push(await onOwnDatabase((url) => measureCrew(url, roles)));
  printTable(
    ['processes', 'transactions/s each', 'connections each', 'MiB of the largest'],
    rows.map((row) => [
      row.roles.join(' + '),
      row.transactionsPerSecond.toFixed(2),
      row.connections.toFixed(1),
      row.residentMiB.toFixed(0),
    ]),
  );
  const isReached = rows.every(
    (row) =>
      row.transactionsPerSecond <= goals.transactionsPerSecond &&
      row.connections <= goals.connections &&
      row.residentMiB <= goals.residentMiB,
  );
  print(
    `  at most ${goals.transactionsPerSecond}/s, ${goals.connections} connections and ${goals.residentMiB} MiB: ${verdict(isReached)}\n`,
  );
};

type Crew = {
  roles: string[];
  transactionsPerSecond: number;
  connections: number;
  residentMiB: number;
};

const onOwnDatabase = async <Result>(work: (url: string) => Promise<Result>): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-idle-'));
  // When root starts it, PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres(folder);
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

const measureCrew = async (url: string, roles: string[]): Promise<Crew> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-idle-data-'));
  const sql = new SQL(url, { max: 1 });
  const processes: Listener[] = [];
  try {
    for (const role of roles) processes.push(await startListener('service', settings(role)));
    await Bun.sleep(settleMs);
    const before = await countAllTransactions(sql);
    // The jobs of each minute open some for ten seconds, so one look would depend on the second.
    const open: number[] = [];
    for (const _ of Array(looks)) {
      await Bun.sleep(idleMs / looks);
      open.push(await countServiceConnections(sql));
    }
    // Those of this measurement itself are one for each question.
    const transactions = (await countAllTransactions(sql)) - before - 1 - looks;
    const sizes = await Promise.all(processes.map(({ pid }) => residentMiB(pid)));
    return {
      roles,
      transactionsPerSecond: ((transactions / idleMs) * 1000) / roles.length,
      connections: median(open) / roles.length,
      residentMiB: Math.max(...sizes),
    };
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
    await sql.close();
    await rm(folder, { recursive: true, force: true });
  }

  function settings(role: string) {
    // An address that nothing asks while nothing happens: no simulator is started beside it.
    const platform = { PLATFORM_API_URL: 'http://127.0.0.1:9/api' };
    return { DATABASE_URL: url, DATA_DIR: folder, ROLE: role, ...platform };
  }
};

import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { placesIn } from '../../apps/server/src/db/embedded/cluster.ts';
import type { Bench } from '../lib/environment.ts';
import { beginLogging, endLogging, findDataFolder } from './queries.ts';

/** What one callback asks of the others. */
type Work = { statements: number; transactions: number; platformCalls: number };

export const describeWork = ({ statements, transactions, platformCalls }: Work): string =>
  `${statements} statements in ${transactions} transactions, ${platformCalls} calls to the platform`;

/** Until every connection has read the changed log setting. */
const settleMs = 300;

type Counting = { platformUrl: string; application: string; callbacks: number };

/**
 * Counts what callbacks ask of the database and of the platform, by the logs of both. `run` says when
 * they begin. What the service does beside them is less than once for each of them.
 */
export const countWork = async (
  bench: Bench,
  { platformUrl, application, callbacks }: Counting,
  run: (begin: () => Promise<void>) => Promise<unknown>,
): Promise<Work> => {
  const folder = await findDataFolder(bench.sql);
  const { logFile } = placesIn(dirname(folder));
  let from = 0;
  try {
    await run(async () => {
      await bench.simulator.clearLog();
      await beginLogging(bench.sql);
      await Bun.sleep(settleMs);
      from = (await stat(logFile)).size;
    });
  } finally {
    await endLogging(bench.sql);
  }
  const written = (await readFile(logFile)).subarray(from).toString();
  const { statements, transactions } = tally(loggedBy(written, application));
  const each = (count: number) => Math.round(count / callbacks);
  return {
    statements: each(statements),
    transactions: each(transactions),
    platformCalls: each(await countCalls(platformUrl)),
  };
};

type Logged = { pid: string; text: string };

const loggedBy = (written: string, application: string): Logged[] => {
  const line = new RegExp(
    `^(\\d+) ${application} LOG: {2}(?:statement|execute [^:]*): (.*)$`,
    'gm',
  );
  return [...written.matchAll(line)].map(([, pid = '', text = '']) => ({ pid, text }));
};

/** Beginning and ending a transaction is no statement of ours; one outside of any is one by itself. */
const tally = (logged: Logged[]) => {
  const open = new Set<string>();
  let statements = 0;
  let transactions = 0;
  for (const { pid, text } of logged) {
    if (/^begin/i.test(text)) {
      open.add(pid);
      transactions += 1;
    } else if (/^(commit|rollback)/i.test(text)) {
      open.delete(pid);
    } else {
      statements += 1;
      if (!open.has(pid)) transactions += 1;
    }
  }
  return { statements, transactions };
};

const countCalls = async (platformUrl: string): Promise<number> => {
  const answer = await fetch(`${platformUrl}/__sim/log`);
  return z.array(z.object({ path: z.string() })).parse(await answer.json()).length;
};

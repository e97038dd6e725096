import { type Connection, openConnection, requestText } from '../lib/connection.ts';
import { createBot, createServer } from '../lib/contents.ts';
import type { Bench, Tenant } from '../lib/environment.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { writeEverythingOut } from '../lib/queries.ts';
import { median, quantile } from '../lib/statistics.ts';
import { otherTenantLoad, readAccount, type Slice } from './other-tenant.ts';

const members = 300_000;
const atOnce = 24;
/** Held by nearly every name, by some, by few and by none of those that `seed-members` makes up. */
const terms = ['e', 'a', '7', 'er', 'x', '42', 'q'];
const ratioGoal = 2;
const warmUpSlices = 5;
const slices = 20;

type Target = { id: string; owner: Tenant };
/** Instead of a status, where the connection was closed without an answer. */
const cutOff = 0;
type Answers = Map<number, number>;

/** The latency of another tenant while one account floods a large server with searches. */
export const measureSearches = async (bench: Bench): Promise<void> => {
  const target = await fillServer(bench);
  const other = await bench.newTenant();
  await timeAlone(bench, target);
  print(`searches: GET /account of another tenant, ${otherTenantLoad.rate} a second, while one \
account has ${atOnce} searches of ${members} members under way`);
  await readAccount(bench, other, warmUpSlices);
  const before = await readAccount(bench, other, slices);
  const flood = startFlood(bench, target);
  // The flood ends before the service does, also where the other tenant was refused.
  const during = await readAccount(bench, other, slices).finally(flood.stop);
  const answers = await flood.stop();
  const after = await readAccount(bench, other, slices);
  report({ before, during, after }, answers);
};

const fillServer = async (bench: Bench): Promise<Target> => {
  const owner = await bench.newTenant();
  const botId = await createBot(bench, owner, 300);
  const id = await createServer(bench, owner, botId, 300);
  const size = ['--count', String(members), '--pullable', String(members / 2)];
  await bench.admin('seed-members', '--server', id, ...size, '--tokens', 'no');
  await writeEverythingOut(bench.sql);
  return { id, owner };
};

const searchRequest = (bench: Bench, { id, owner }: Target, term: string): string => {
  const path = `/api/v1/servers/${id}/members?search=${term}`;
  return requestText({ origin: bench.service.url, path, key: owner.key });
};

/** One at a time, nobody else there: the median of nine after one that is not counted. */
const timeAlone = async (bench: Bench, target: Target): Promise<void> => {
  const connection = await openConnection(bench.service.url);
  const rows: string[][] = [];
  for (const term of terms) {
    const request = searchRequest(bench, target, term);
    const { body } = await connection.send(request);
    const tookMs: number[] = [];
    for (let i = 0; i < 9; i++) {
      const startedAt = performance.now();
      await connection.send(request);
      tookMs.push(performance.now() - startedAt);
    }
    const { total } = JSON.parse(body.toString()).pagination;
    rows.push([`search=${term}`, String(total), milliseconds(median(tookMs))]);
  }
  connection.close();
  print(`searches: of ${members} members, one at a time`);
  printTable(['', 'found', 'median'], rows);
};

const startFlood = (bench: Bench, target: Target) => {
  const requests = terms.map((term) => searchRequest(bench, target, term));
  const answers: Answers = new Map();
  let isOver = false;
  const keepSearching = async (_: unknown, place: number): Promise<void> => {
    let connection: Connection | undefined;
    for (let i = place; !isOver; i++) {
      connection ??= await openConnection(bench.service.url);
      const status = await connection.send(requests[i % requests.length] ?? '').then(
        (answer) => answer.status,
        () => cutOff,
      );
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === cutOff) connection = undefined;
    }
    connection?.close();
  };
  const searching = Promise.all(Array.from({ length: atOnce }, keepSearching));
  return {
    async stop(): Promise<Answers> {
      isOver = true;
      await searching;
      return answers;
    },
  };
};

const p95 = (phase: Slice[]) => quantile(phase.flat(), 0.95);

const report = (phases: { before: Slice[]; during: Slice[]; after: Slice[] }, answers: Answers) => {
  printTable(
    ['', 'requests', 'p50', 'p95', 'p99'],
    Object.entries(phases).map(([name, phase]) => [
      name,
      String(phase.flat().length),
      milliseconds(median(phase.flat())),
      milliseconds(p95(phase)),
      milliseconds(quantile(phase.flat(), 0.99)),
    ]),
  );
  const ratio = p95(phases.during) / p95(phases.before);
  print(`  p95 during / before ${ratio.toFixed(2)}, goal ≤ ${ratioGoal}: \
${verdict(ratio <= ratioGoal)}`);
  const told = [...answers].toSorted(([a], [b]) => a - b).map(([status, n]) => `${n} × ${status}`);
  const isHonest = [...answers.keys()].every((status) => status === 200 || status === 429);
  print(`  searches answered: ${told.join(', ')}; goal: nothing but 200 and 429: \
${verdict(isHonest)}\n`);
};

import { type Connection, openConnection, requestText } from './connection.ts';
import { createBot, createServer } from './contents.ts';
import { otherTenantLoad, readAccount, type Slice } from './other-tenant.ts';
import { milliseconds, print, printTable, verdict } from './print.ts';
import { writeEverythingOut } from './queries.ts';
import { median, quantile } from './statistics.ts';
import type { Tenant, World } from './world.ts';

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

/** What the others feel while one account searches a large server for single letters, all the time. */
export const measureSearches = async (world: World): Promise<void> => {
  const target = await fillServer(world);
  const other = await world.newTenant();
  await timeAlone(world, target);
  print(`searches: GET /account of another tenant, ${otherTenantLoad.rate} a second, while one \
account has ${atOnce} searches of ${members} members under way`);
  await readAccount(world, other, warmUpSlices);
  const before = await readAccount(world, other, slices);
  const flood = startFlood(world, target);
  // The flood ends before the service does, also where the other tenant was refused.
  const during = await readAccount(world, other, slices).finally(flood.stop);
  const answers = await flood.stop();
  const after = await readAccount(world, other, slices);
  report({ before, during, after }, answers);
};

const fillServer = async (world: World): Promise<Target> => {
  const owner = await world.newTenant();
  const botId = await createBot(world, owner, 300);
  const id = await createServer(world, owner, botId, 300);
  const size = ['--count', String(members), '--pullable', String(members / 2)];
  await world.admin('seed-members', '--server', id, ...size, '--tokens', 'no');
  await writeEverythingOut(world.sql);
  return { id, owner };
};

const searchRequest = (world: World, { id, owner }: Target, term: string): string => {
  const path = `/api/v1/servers/${id}/members?search=${term}`;
  return requestText({ origin: world.service.url, path, key: owner.key });
};

/** One at a time, nobody else there: the median of nine after one that is not counted. */
const timeAlone = async (world: World, target: Target): Promise<void> => {
  const connection = await openConnection(world.service.url);
  const rows: string[][] = [];
  for (const term of terms) {
    const request = searchRequest(world, target, term);
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

const startFlood = (world: World, target: Target) => {
  const requests = terms.map((term) => searchRequest(world, target, term));
  const answers: Answers = new Map();
  let isOver = false;
  const keepSearching = async (_: unknown, place: number): Promise<void> => {
    let connection: Connection | undefined;
    for (let i = place; !isOver; i++) {
      connection ??= await openConnection(world.service.url);
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

import { z } from 'zod';
import { type Connection, openConnection, requestText } from '../lib/connection.ts';
import type { Bench } from '../lib/environment.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { median } from '../lib/statistics.ts';
import { type MemberServer, memberServersOf, rareMembers, rareWord } from './servers.ts';

const goal = 3;
const warmUpRounds = 30;
const rounds = 200;

const answerPage = z.object({
  data: z.array(z.object({ platformId: z.string() })),
  pagination: z.object({ total: z.int(), totalPages: z.int() }),
});
type AnswerPage = z.output<typeof answerPage>;

type Asker = {
  /** The first time, to look at the answer. */
  read(query: string): Promise<AnswerPage>;
  time(query: string): Promise<number>;
};

type Question = { name: string; query: string };
type Timed = { name: string; smallMs: number; largeMs: number };

/** Whether a list costs more because it is part of a thousand times more members. */
export const measureMembers = async (bench: Bench): Promise<void> => {
  const { small, large } = await memberServersOf(bench);
  const connection = await openConnection(bench.service.url);
  try {
    const askers = [small, large].map((server) => askerOf(connection, bench, server));
    const timed = await timeAll(askers);
    report(timed, small, large);
  } finally {
    connection.close();
  }
};

const askerOf = (connection: Connection, bench: Bench, server: MemberServer): Asker => {
  const send = async (query: string) => {
    const path = `/api/v1/servers/${server.id}/members${query}`;
    const request = requestText({ origin: bench.service.url, path, key: server.owner.key });
    const answer = await connection.send(request);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.body.toString()}`);
    return answer;
  };
  return {
    read: async (query) => answerPage.parse(JSON.parse((await send(query)).body.toString())),
    async time(query) {
      const startedAt = performance.now();
      await send(query);
      return performance.now() - startedAt;
    },
  };
};

/** The same questions to both: where a page lies, or who is asked for, depends on the server. */
const questionsFor = async (asker: Asker): Promise<Question[]> => {
  const { pagination } = await asker.read('');
  const middle = Math.ceil(pagination.totalPages / 2);
  const pullable = await asker.read('?pullable=true');
  const found = await asker.read(`?search=${rareWord}`);
  if (found.pagination.total !== rareMembers) throw new Error('The search found others as well');
  const [someone] = (await asker.read(`?page=${middle}`)).data;
  return [
    { name: 'first page', query: '' },
    { name: 'middle page', query: `?page=${middle}` },
    { name: 'last page', query: `?page=${pagination.totalPages}` },
    { name: 'first pullable page', query: '?pullable=true' },
    {
      name: 'last pullable page',
      query: `?pullable=true&page=${pullable.pagination.totalPages}`,
    },
    { name: 'search with ten matches', query: `?search=${rareWord}` },
    { name: idSearch, query: `?search=${someone?.platformId}` },
  ];
};

/** Also looks for its digits in every name, which costs more the more digits the names hold. */
const idSearch = 'search by platform id';

const timeAll = async ([small, large]: Asker[]): Promise<Timed[]> => {
  if (!small || !large) throw new Error('Two servers are compared');
  const [ofSmall, ofLarge] = [await questionsFor(small), await questionsFor(large)];
  const seen = ofSmall.map(({ name }) => ({ name, small: [] as number[], large: [] as number[] }));
  for (let i = 0; i < warmUpRounds + rounds; i++) {
    for (const [at, kept] of seen.entries()) {
      const smallMs = await small.time(ofSmall[at]?.query ?? '');
      const largeMs = await large.time(ofLarge[at]?.query ?? '');
      if (i < warmUpRounds) continue;
      kept.small.push(smallMs);
      kept.large.push(largeMs);
    }
  }
  return seen.map((kept) => ({
    name: kept.name,
    smallMs: median(kept.small),
    largeMs: median(kept.large),
  }));
};

const report = (timed: readonly Timed[], small: MemberServer, large: MemberServer): void => {
  print(`members: median of ${rounds} alternating requests, one at a time`);
  printTable(
    ['', `of ${small.members}`, `of ${large.members}`, 'ratio', `goal ≤ ${goal}`],
    timed.map(({ name, smallMs, largeMs }) => {
      const ratio = largeMs / smallMs;
      return [
        name,
        milliseconds(smallMs),
        milliseconds(largeMs),
        ratio.toFixed(2),
        name === idSearch ? 'no goal' : verdict(ratio <= goal),
      ];
    }),
  );
  print();
};

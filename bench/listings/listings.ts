import { listingSorts } from '@holdfast/contract';
import { z } from 'zod';
import { openConnection, requestText } from '../lib/connection.ts';
import { type Bench, startBench } from '../lib/environment.ts';
import { milliseconds, print, printTable, seconds, verdict } from '../lib/print.ts';
import { median } from '../lib/statistics.ts';
import { insertListings } from './queries.ts';

const goal = 3;
const warmUpRounds = 30;
const rounds = 100;
const sizes = { small: 1000, large: 100_000 };

const answerPage = z.object({
  data: z.array(z.object({ id: z.string() })),
  pagination: z.object({ total: z.int(), totalPages: z.int() }),
});

type Market = { ask(query: string): Promise<z.output<typeof answerPage>>; close(): void };
type Question = { name: string; query: string };
type Timed = { name: string; small: number[]; large: number[] };

/** Whether a page costs more because it is one of a hundred times more; all sellers share one list. */
export const measureListings = async (bench: Bench): Promise<void> => {
  const other = await startBench();
  try {
    const keys = {
      small: await seed(other, sizes.small),
      large: await seed(bench, sizes.large),
    };
    // Now that neither is left idle, which the service would not bear with.
    const small = await openMarket(other, keys.small);
    const large = await openMarket(bench, keys.large);
    report(await timeAll(small, large));
    for (const market of [small, large]) market.close();
  } finally {
    await other.stop();
  }
};

const seed = async (bench: Bench, count: number): Promise<string> => {
  const { key, accountId: sellerId } = await bench.newTenant();
  const startedAt = performance.now();
  await insertListings(bench.sql, { sellerId, count });
  print(`seeding ${count} listings took ${seconds(performance.now() - startedAt)}`);
  return key;
};

const openMarket = async (bench: Bench, key: string): Promise<Market> => {
  const connection = await openConnection(bench.service.url);
  return {
    async ask(query) {
      const path = `/api/v1/marketplace/listings?${query}`;
      const answer = await connection.send(requestText({ origin: bench.service.url, path, key }));
      if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.body.toString()}`);
      return answerPage.parse(JSON.parse(answer.body.toString()));
    },
    close: () => connection.close(),
  };
};

/** Where the middle and the end lie depends on how many there are. */
const questionsFor = async (market: Market): Promise<Question[]> => {
  const questions: Question[] = [];
  for (const category of ['', 'TEMPLATE']) {
    for (const sort of listingSorts) {
      const list = `sort=${sort}${category && `&category=${category}`}`;
      const { totalPages } = (await market.ask(list)).pagination;
      const pages = { first: 1, middle: Math.ceil(totalPages / 2), last: totalPages };
      for (const [name, page] of Object.entries(pages)) {
        questions.push({ name: `${sort} ${category} ${name}`, query: `${list}&page=${page}` });
      }
    }
  }
  return questions;
};

const timeAll = async (small: Market, large: Market): Promise<Timed[]> => {
  const [ofSmall, ofLarge] = [await questionsFor(small), await questionsFor(large)];
  const seen = ofSmall.map(({ name }): Timed => ({ name, small: [], large: [] }));
  for (let i = 0; i < warmUpRounds + rounds; i++) {
    for (const [at, kept] of seen.entries()) {
      const smallMs = await timeOf(small, ofSmall[at]);
      const largeMs = await timeOf(large, ofLarge[at]);
      if (i < warmUpRounds) continue;
      kept.small.push(smallMs);
      kept.large.push(largeMs);
    }
  }
  return seen;
};

const timeOf = async (market: Market, question: Question | undefined): Promise<number> => {
  const startedAt = performance.now();
  await market.ask(question?.query ?? '');
  return performance.now() - startedAt;
};

const report = (timed: readonly Timed[]): void => {
  print(`listings: median of ${rounds} alternating requests, one at a time`);
  printTable(
    ['', `of ${sizes.small}`, `of ${sizes.large}`, 'ratio', `goal ≤ ${goal}`],
    timed.map(({ name, small, large }) => {
      const [smallMs, largeMs] = [median(small), median(large)];
      const ratio = largeMs / smallMs;
      const cells = [milliseconds(smallMs), milliseconds(largeMs), ratio.toFixed(2)];
      return [name, ...cells, verdict(ratio <= goal)];
    }),
  );
  print();
};

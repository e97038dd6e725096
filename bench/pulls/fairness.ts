import { print, printTable, seconds, verdict } from '../lib/print.ts';
import type { Limits } from '../lib/simulator.ts';
import { median } from '../lib/statistics.ts';
import { narrow } from './bucket.ts';
import { type PullBench, type PulledServer, wallMs } from './environment.ts';
import { readPulls } from './queries.ts';

const smallOnes = 10;
const smallMembers = 60;
const largeMembers = 100_000;
const goal = 1.2;

const wide = { limit: 1_000_000, perMs: 1000 };
/** Each bot still keeps to 50 calls a second; no bucket holds it up before. */
const noBuckets: Partial<Limits> = { default: wide };
const roundsWithoutBuckets = 5;

type Times = { narrowMs: number[]; wideMs: number[] };

/** Ten small pulls of as many tenants, alone and beside a large one that begins in the same moment. */
export const measureFairness = async (bench: PullBench): Promise<void> => {
  print(`pulls: ${smallOnes} of ${smallMembers} members beside one of ${largeMembers}`);
  const small: PulledServer[] = [];
  for (let made = 0; made < smallOnes; made++) {
    small.push(await bench.addServer(await bench.newTenant(), smallMembers));
  }
  const large = await bench.addServer(await bench.newTenant(), largeMembers);
  const alone = await pullSmallOnes(bench, small);
  const largeId = await bench.begin(large);
  const beside = await pullSmallOnes(bench, small);
  const [besides] = await readPulls(bench.sql, [largeId]);
  if (besides?.status !== 'running') throw new Error(`The large one is ${besides?.status}`);
  const worst = worstRatio(alone.narrowMs, beside.narrowMs);
  printTable(
    ['', 'alone, median', 'beside, median', 'slowest / slowest alone'],
    [
      row('10 calls in 10 s', alone.narrowMs, beside.narrowMs),
      row('no buckets', alone.wideMs, beside.wideMs),
    ],
  );
  print(`  each beside / alone ≤ ${goal} at 10 calls in 10 s: ${verdict(worst <= goal)}`);
  await cancelLarge(bench, large, largeId);
};

const pullSmallOnes = async (bench: PullBench, small: PulledServer[]): Promise<Times> => {
  const narrowMs = await pullRound(bench, small, narrow);
  const wideMs: number[] = [];
  for (let round = 0; round < roundsWithoutBuckets; round++) {
    wideMs.push(...(await pullRound(bench, small, noBuckets)));
  }
  return { narrowMs, wideMs };
};

/** To servers that are empty again, so that every round does the same. */
const pullRound = async (
  bench: PullBench,
  small: PulledServer[],
  limits: Partial<Limits>,
): Promise<number[]> => {
  for (const { guildId } of small) await bench.simulator.setGuild(guildId, {});
  await bench.simulator.setLimits(limits);
  const runs = await bench.untilEnded(await Promise.all(small.map(bench.begin)));
  const short = runs.filter(({ joined }) => joined !== smallMembers);
  if (short.length > 0) throw new Error(`${short.length} pulls did not bring everybody`);
  return runs.map(wallMs);
};

/** The slowest is compared with the slowest: which of them is which says nothing. */
const worstRatio = (aloneMs: number[], besideMs: number[]): number =>
  Math.max(...besideMs) / Math.max(...aloneMs);

const row = (name: string, aloneMs: number[], besideMs: number[]): string[] => [
  name,
  seconds(median(aloneMs)),
  seconds(median(besideMs)),
  worstRatio(aloneMs, besideMs).toFixed(2),
];

const cancelLarge = async (bench: PullBench, large: PulledServer, pullId: string) => {
  const askedAt = performance.now();
  await bench.cancel(large, pullId);
  const [run] = await bench.untilEnded([pullId]);
  const tookMs = performance.now() - askedAt;
  print(`  the large one, ${run?.processed} called, ${run?.status} within ${seconds(tookMs)}\n`);
};

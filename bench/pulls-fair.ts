import { print, printTable, seconds, verdict } from './print.ts';
import { narrow } from './pulls-bucket.ts';
import { readPulls } from './pulls-queries.ts';
import { type PulledServer, type PullsWorld, wallMs } from './pulls-world.ts';
import type { Limits } from './simulator.ts';
import { median } from './statistics.ts';

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
export const measureFairness = async (world: PullsWorld): Promise<void> => {
  print(`pulls: ${smallOnes} of ${smallMembers} members beside one of ${largeMembers}`);
  const small: PulledServer[] = [];
  for (let made = 0; made < smallOnes; made++) {
    small.push(await world.addServer(await world.newTenant(), smallMembers));
  }
  const large = await world.addServer(await world.newTenant(), largeMembers);
  const alone = await pullSmallOnes(world, small);
  const largeId = await world.begin(large);
  const beside = await pullSmallOnes(world, small);
  const [besides] = await readPulls(world.sql, [largeId]);
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
  await cancelLarge(world, large, largeId);
};

const pullSmallOnes = async (world: PullsWorld, small: PulledServer[]): Promise<Times> => {
  const narrowMs = await pullRound(world, small, narrow);
  const wideMs: number[] = [];
  for (let round = 0; round < roundsWithoutBuckets; round++) {
    wideMs.push(...(await pullRound(world, small, noBuckets)));
  }
  return { narrowMs, wideMs };
};

/** To servers that are empty again, so that every round does the same. */
const pullRound = async (
  world: PullsWorld,
  small: PulledServer[],
  limits: Partial<Limits>,
): Promise<number[]> => {
  for (const { guildId } of small) await world.simulator.setGuild(guildId, {});
  await world.simulator.setLimits(limits);
  const runs = await world.untilEnded(await Promise.all(small.map(world.begin)));
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

const cancelLarge = async (world: PullsWorld, large: PulledServer, pullId: string) => {
  const askedAt = performance.now();
  await world.cancel(large, pullId);
  const [run] = await world.untilEnded([pullId]);
  const tookMs = performance.now() - askedAt;
  print(`  the large one, ${run?.processed} called, ${run?.status} within ${seconds(tookMs)}\n`);
};

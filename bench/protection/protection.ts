import { type GatewayBench, startGatewayBench } from '../gateway/environment.ts';
import { newSnowflake } from '../lib/guilds.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { processorMs } from '../lib/processes.ts';
import { median, quantile } from '../lib/statistics.ts';
import { attack, type Pace } from './attack.ts';
import { insertServersOf, protectAll, readNoticed } from './queries.ts';
import { prepareTarget, type Target } from './target.ts';
import { type Outcome, outcomeOf } from './trace.ts';

const serversAtOnce = 200;
const settleMs = 3000;
/** By then one bot has read who has power in all its guilds, with three calls each and fifty a second. */
const readAheadMs = 25_000;
const repeats = 5;
const unlimited = { limit: 1_000_000, perMs: 1000 };
const noBuckets = { default: unlimited, global: unlimited, routes: {} };

/** `mostLost`: the goal, where there is one. */
const cases = [
  { name: 'usual buckets, no distance', atOnce: 1, isPaced: true, latencyMs: 0, mostLost: 3 },
  { name: 'usual buckets, 50 ms away', atOnce: 1, isPaced: true, latencyMs: 50, mostLost: 3 },
  { name: 'two accounts in turn, 50 ms', atOnce: 1, isPaced: true, latencyMs: 50, attackers: 2 },
  { name: 'no buckets, no distance', atOnce: 1, isPaced: false, latencyMs: 0 },
  { name: 'no buckets, 50 ms away', atOnce: 1, isPaced: false, latencyMs: 50 },
  { name: '50 at a time, no distance', atOnce: 50, isPaced: false, latencyMs: 0, mostLost: 10 },
  { name: '50 at a time, 50 ms away', atOnce: 50, isPaced: false, latencyMs: 50, mostLost: 10 },
];

/** How much a stolen moderator account destroys before it is stopped. */
export const measureProtection = async (): Promise<void> => {
  print('protection: channels that an attacker deletes before they are stopped');
  const bench = await startGatewayBench();
  try {
    await bench.simulator.setLimits(noBuckets);
    await measureCases(bench);
    const sizes = Array.from({ length: serversAtOnce }, () => small);
    await measureManyServers(bench, 'of as many bots', await newTargets(bench, sizes));
    await measureManyServers(bench, 'of one bot', await newTargetsOfOne(bench));
  } finally {
    await bench.stop();
  }
};

type Size = { channels: number; attackers: number };
const large: Size = { channels: 300, attackers: 1 };
const small: Size = { channels: 60, attackers: 1 };

/** One for each size. */
const newTargets = async (bench: GatewayBench, sizes: readonly Size[]): Promise<Target[]> => {
  const bots = await bench.addBots(sizes.length);
  await protectAll(bench.sql);
  await bench.untilConnected(bots);
  const targets: Target[] = [];
  for (const [at, bot] of bots.entries()) {
    targets.push(await prepareTarget(bench, bot, sizes[at] ?? small));
  }
  await Bun.sleep(settleMs);
  return targets;
};

const newTargetsOfOne = async (bench: GatewayBench): Promise<Target[]> => {
  const [bot, ...others] = await bench.addBots(1);
  if (!bot || others.length > 0) throw new Error('One bot was asked for');
  const guildIds = Array.from({ length: serversAtOnce }, newSnowflake);
  await insertServersOf(bench.sql, bot, guildIds);
  await bench.untilConnected([bot]);
  const targets: Target[] = [];
  for (const guildId of guildIds) {
    targets.push(await prepareTarget(bench, { guildId, clientId: bot.clientId }, small));
  }
  await Bun.sleep(readAheadMs);
  return targets;
};

const measureCases = async (bench: GatewayBench): Promise<void> => {
  const rows: string[][] = [];
  const reactions: number[] = [];
  const sizes = cases.flatMap(({ attackers = 1 }) =>
    Array.from({ length: repeats }, () => ({ ...large, attackers })),
  );
  const targets = await newTargets(bench, sizes);
  for (const { name, latencyMs, mostLost, attackers: _, ...pace } of cases) {
    const outcomes: Outcome[] = [];
    for (const target of targets.splice(0, repeats)) {
      outcomes.push(...(await attackAll(bench, [target], { pace, latencyMs })));
    }
    const lost = outcomes.map((one) => one.lost);
    reactions.push(...outcomes.flatMap(({ sentAfterMs }) => sentAfterMs ?? []));
    rows.push([
      name,
      lost.join(' '),
      outcomes.map(({ underWay }) => underWay).join(' '),
      outcomes.map(({ stoppedAfterMs }) => stoppedAfterMs?.toFixed(0) ?? 'never').join(' '),
      outcomes.map(({ sentAfterMs }) => sentAfterMs?.toFixed(0) ?? '').join(' '),
      outcomes.map(({ busyMs }) => busyMs.toFixed(0)).join(' '),
      mostLost === undefined ? '' : `≤ ${mostLost}: ${verdict(Math.max(...lost) <= mostLost)}`,
    ]);
  }
  const heads = [
    'lost',
    'sent before the 2nd took effect',
    'stopped after ms',
    'verdict to call ms',
    'first to last deletion ms',
  ];
  printTable(['', ...heads, 'goal'], rows);
  print(`  verdict to call: ${spread(reactions)}`);
};

const spread = (values: readonly number[]): string =>
  `p50 ${milliseconds(median(values))}, p95 ${milliseconds(quantile(values, 0.95))}`;

type Manner = { pace: Pace; latencyMs: number };

/** The call that stops somebody may arrive after the attacker has nothing left to strike. */
const stopsWithinMs = 5000;
const lookEveryMs = 250;

const attackAll = async (
  { simulator, env, sql }: GatewayBench,
  targets: readonly Target[],
  { pace, latencyMs }: Manner,
): Promise<Outcome[]> => {
  await simulator.clearLog();
  await simulator.setLatency(latencyMs);
  const apiUrl = env.PLATFORM_API_URL ?? '';
  const strikes = await Promise.all(targets.map((target) => attack(apiUrl, target, pace)));
  await simulator.setLatency(0);
  const deadline = performance.now() + stopsWithinMs;
  for (;;) {
    await Bun.sleep(lookEveryMs);
    const noticed = await readNoticed(sql);
    const calls = Map.groupBy(await simulator.readLog(), ({ guildId }) => guildId);
    const outcomes = targets.map((target, at) =>
      outcomeOf(target, strikes[at] ?? [], {
        calls: calls.get(target.guildId) ?? [],
        noticedAtMs: noticed.get(target.guildId),
        latencyMs,
      }),
    );
    const areStopped = outcomes.every(({ sentAfterMs }) => sentAfterMs !== undefined);
    if (areStopped || performance.now() > deadline) return outcomes;
  }
};

const measureManyServers = async (
  bench: GatewayBench,
  whose: string,
  targets: readonly Target[],
): Promise<void> => {
  const pids = [bench.platform.pid, bench.gateway.pid];
  const before = await Promise.all(pids.map(processorMs));
  const manner = { pace: { atOnce: 1, isPaced: true }, latencyMs: 50 };
  const outcomes = await attackAll(bench, targets, manner);
  const after = await Promise.all(pids.map(processorMs));
  const stops = outcomes.map(({ stoppedAfterMs }) => stoppedAfterMs ?? Number.POSITIVE_INFINITY);
  const [ofPlatform = 0, ofGateway = 0] = after.map((value, at) => value - (before[at] ?? 0));
  const platformMs = outcomes.flatMap((one) => one.platformMs);
  print(`  ${serversAtOnce} servers ${whose} at once:`);
  print(`    stopped after: ${spread(stops)}, slowest ${Math.max(...stops).toFixed(0)} ms`);
  print(`    most lost ${Math.max(...outcomes.map((one) => one.lost))}`);
  print(`    verdict to call: ${spread(outcomes.flatMap(({ sentAfterMs }) => sentAfterMs ?? []))}`);
  print(`    the simulator's own time for one call: ${spread(platformMs)}`);
  print(`    processor: simulator ${ofPlatform} ms, gateway ${ofGateway} ms\n`);
};

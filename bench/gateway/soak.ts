import { newSnowflake } from '../lib/guilds.ts';
import { print, verdict } from '../lib/print.ts';
import { residentMiB } from '../lib/processes.ts';
import { slopeOf } from '../lib/statistics.ts';
import { type GatewayBench, startGatewayBench } from './environment.ts';
import type { BotRow } from './queries.ts';

const bots = 50;
const goalPercent = 1;
const sampleMs = 5000;
/** Until the runtime has compiled what is used and its heap has found its size. */
const warmUpShare = 1 / 6;

/** Whether the memory of a process that holds bots grows, while people come and go and sockets break. */
export const measureSoak = async (minutes: number): Promise<void> => {
  print(`soak: ${bots} bots held by one process for ${minutes} minutes`);
  const bench = await startGatewayBench();
  try {
    const made = await bench.addBots(bots);
    await bench.untilConnected(made);
    const traffic = startTraffic(bench, made);
    const samples = await sample(bench.gateway.pid, minutes * 60_000);
    const { cuts, joins } = await traffic.stop();
    const seen = await bench.simulator.readGateway();
    const resumes = seen.reduce((sum, bot) => sum + bot.resumes, 0);
    print(`  ${joins} people came and went, ${cuts} connections were cut, ${resumes} resumed`);
    report(samples);
  } finally {
    await bench.stop();
  }
};

type Sample = { minute: number; mib: number };

const sample = async (pid: number, durationMs: number): Promise<Sample[]> => {
  const samples: Sample[] = [];
  const startedAt = performance.now();
  for (let nextMs = sampleMs; nextMs <= durationMs; nextMs += sampleMs) {
    await Bun.sleep(Math.max(0, startedAt + nextMs - performance.now()));
    const minute = (performance.now() - startedAt) / 60_000;
    samples.push({ minute, mib: await residentMiB(pid) });
  }
  return samples;
};

const report = (all: readonly Sample[]): void => {
  const samples = all.slice(Math.floor(all.length * warmUpShare));
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) throw new Error('Too short to measure anything');
  const mean = samples.reduce((sum, { mib }) => sum + mib, 0) / samples.length;
  const slope = slopeOf(samples.map(({ minute, mib }) => [minute, mib]));
  const grownMiB = slope * (last.minute - first.minute);
  const percent = (grownMiB / mean) * 100;
  const least = Math.min(...samples.map(({ mib }) => mib));
  const most = Math.max(...samples.map(({ mib }) => mib));
  print(
    `  from minute ${first.minute.toFixed(0)} to ${last.minute.toFixed(0)}: ${least.toFixed(1)} to ${most.toFixed(1)} MiB, ${mean.toFixed(1)} in the mean`,
  );
  print(`  slope ${(slope * 60).toFixed(2)} MiB an hour, so ${percent.toFixed(2)} % of the mean`);
  print(`  within ${goalPercent} %: ${verdict(Math.abs(percent) <= goalPercent)}\n`);
};

const turnMs = 200;
const turnsBetweenCuts = 10;

/** Somebody comes and goes five times a second, and every two seconds a connection breaks. */
const startTraffic = ({ simulator }: GatewayBench, made: readonly BotRow[]) => {
  let isOver = false;
  let cuts = 0;
  let joins = 0;
  const run = async () => {
    for (let turn = 0; !isOver; turn++) {
      const bot = made[turn % made.length];
      if (!bot) return;
      const userId = newSnowflake();
      await simulator.setGuildsOf(userId, [bot.guildId]);
      await simulator.setGuildsOf(userId, []);
      joins++;
      if (turn % turnsBetweenCuts === 0) {
        // Another bot each time, also where the two numbers have a divisor in common.
        await simulator.cut(made[cuts % made.length]?.clientId ?? bot.clientId);
        cuts++;
      }
      await Bun.sleep(turnMs);
    }
  };
  const running = run();
  return {
    async stop() {
      isOver = true;
      await running;
      return { cuts, joins };
    },
  };
};

import { print, printTable, seconds, verdict } from '../lib/print.ts';
import { processorMs, residentMiB } from '../lib/processes.ts';
import { countTransactions } from '../lib/queries.ts';
import { type GatewayBench, startGatewayBench } from './environment.ts';

const bots = 5000;
const settleMs = 20_000;
const idleMs = 60_000;
/** Of two processes, the one that serves and the one that holds bots. */
const goals = { transactionsPerSecond: 10, connectMs: 300_000 };

/** What thousands of bots cost the one process that holds them. */
export const measureGateway = async (): Promise<void> => {
  print(`gateway: ${bots} bots held by one process, each in a server of its own`);
  const bench = await startGatewayBench();
  try {
    await measureBots(bench);
  } finally {
    await bench.stop();
  }
};

const measureBots = async (bench: GatewayBench): Promise<void> => {
  const { pid } = bench.gateway;
  await Bun.sleep(settleMs);
  const emptyMiB = await residentMiB(pid);
  const made = await bench.addBots(bots);
  const startedAt = performance.now();
  const usedMs = await processorMs(pid);
  await bench.untilConnected(made);
  const connectMs = performance.now() - startedAt;
  const connectingMs = (await processorMs(pid)) - usedMs;
  await Bun.sleep(settleMs);
  const idle = await measureIdle(bench);
  const fullMiB = await residentMiB(pid);
  const ours = new Set(made.map(({ clientId }) => clientId));
  const seen = (await bench.simulator.readGateway()).filter(({ botId }) => ours.has(botId));
  const wrong = seen.filter((bot) => bot.identifies !== 1 || bot.connected !== 1);
  const perBotKiB = ((fullMiB - emptyMiB) * 1024) / bots;
  printTable(
    ['', ''],
    [
      ['all connected after', seconds(connectMs)],
      ['processor for that', seconds(connectingMs)],
      ['memory without bots', `${emptyMiB.toFixed(0)} MiB`],
      ['memory with all', `${fullMiB.toFixed(0)} MiB`],
      ['memory of a bot', `${perBotKiB.toFixed(1)} KiB`],
      ['idle: processor', `${idle.processorPercent.toFixed(1)} % of a core`],
      ['idle: transactions', `${idle.transactionsPerSecond.toFixed(2)}/s`],
    ],
  );
  const isReached =
    seen.length === bots &&
    wrong.length === 0 &&
    connectMs <= goals.connectMs &&
    idle.transactionsPerSecond <= goals.transactionsPerSecond;
  print(
    `  each identified once within ${seconds(goals.connectMs)}, idle ≤ ${goals.transactionsPerSecond} transactions/s: ${verdict(isReached)}\n`,
  );
};

/** Heartbeats go on; nothing else happens. */
const measureIdle = async ({ sql, gateway }: GatewayBench) => {
  const [transactions, usedMs] = [await countTransactions(sql), await processorMs(gateway.pid)];
  await Bun.sleep(idleMs);
  const spentMs = (await processorMs(gateway.pid)) - usedMs;
  const done = (await countTransactions(sql)) - transactions - 1;
  return {
    processorPercent: (spentMs / idleMs) * 100,
    transactionsPerSecond: (done / idleMs) * 1000,
  };
};

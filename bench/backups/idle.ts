import type { Bench } from '../lib/environment.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { processorMs } from '../lib/processes.ts';
import { countTransactions } from '../lib/queries.ts';
import { median } from '../lib/statistics.ts';
import { queuedMs, type Run, wallMs } from './api.ts';
import type { BackupOwner } from './owner.ts';

const idleMs = 20_000;
const settleMs = 3000;
const backups = 15;
const goalMs = 1000;

const tiny = {
  ...{ categories: 0, channels: 1, roles: 0, emojis: 0 },
  ...{ bans: 0, members: 0, messagesPerChannel: 0 },
};
const wide = { limit: 1_000_000, perMs: 1000 };

/** What a worker asks of the database while nothing is queued, and how soon it begins what then is. */
export const measureWaiting = async (bench: Bench, owner: BackupOwner): Promise<void> => {
  print('backups: a worker without work');
  const idle = await measureIdle(bench);
  print(`  ${idle.perSecond.toFixed(1)} transactions/s, ${idle.busy.toFixed(1)} % of a core`);
  const { serverId } = await owner.addGuild(tiny);
  await bench.simulator.setLimits({ default: wide, global: wide });
  const runs: Run[] = [];
  // At random intervals, so that they do not coincide with polls.
  for (let at = 0; at < backups; at++) {
    await Bun.sleep(Math.random() * 1000);
    runs.push(await owner.api.backUp(serverId));
  }
  const row = (name: string, valuesMs: number[]) => [
    name,
    milliseconds(median(valuesMs)),
    milliseconds(Math.max(...valuesMs)),
  ];
  printTable(
    [`${backups} small backups`, 'median', 'longest'],
    [row('queued', runs.map(queuedMs)), row('from request to end', runs.map(wallMs))],
  );
  const isReached = Math.max(...runs.map(queuedMs)) <= goalMs;
  print(`  begun within ${goalMs} ms: ${verdict(isReached)}\n`);
};

const measureIdle = async ({ service, sql }: Bench) => {
  await Bun.sleep(settleMs);
  const before = await countTransactions(sql);
  const usedMs = await processorMs(service.pid);
  await Bun.sleep(idleMs);
  const transactions = (await countTransactions(sql)) - before;
  const spentMs = (await processorMs(service.pid)) - usedMs;
  return { perSecond: (transactions / idleMs) * 1000, busy: (spentMs / idleMs) * 100 };
};

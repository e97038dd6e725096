import { queuedMs, type Run, wallMs } from './backups-api.ts';
import type { BackupOwner } from './backups-owner.ts';
import { milliseconds, print, printTable, verdict } from './print.ts';
import { processorMs } from './processes.ts';
import { countTransactions } from './queries.ts';
import { median } from './statistics.ts';
import type { World } from './world.ts';

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
export const measureWaiting = async (world: World, owner: BackupOwner): Promise<void> => {
  print('backups: a worker without work');
  const idle = await measureIdle(world);
  print(`  ${idle.perSecond.toFixed(1)} transactions/s, ${idle.busy.toFixed(1)} % of a core`);
  const { serverId } = await owner.addGuild(tiny);
  await world.simulator.setLimits({ default: wide, global: wide });
  const runs: Run[] = [];
  // At no beat in particular, or a poll could come by each time at the same moment.
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

const measureIdle = async ({ service, sql }: World) => {
  await Bun.sleep(settleMs);
  const before = await countTransactions(sql);
  const usedMs = await processorMs(service.pid);
  await Bun.sleep(idleMs);
  const transactions = (await countTransactions(sql)) - before;
  const spentMs = (await processorMs(service.pid)) - usedMs;
  return { perSecond: (transactions / idleMs) * 1000, busy: (spentMs / idleMs) * 100 };
};

import type { Bench } from '../lib/environment.ts';
import type { Sizes } from '../lib/guilds.ts';
import { print, printTable, seconds, verdict } from '../lib/print.ts';
import { processorMs } from '../lib/processes.ts';
import { queuedMs, type Run, wallMs } from './api.ts';
import { createBackupOwner } from './owner.ts';

const goal = 1.2;
const servers = 50;
const severalBots = 5;

const sizes: Sizes = {
  ...{ categories: 1, channels: 1, roles: 5, emojis: 2 },
  ...{ bans: 5, members: 10, messagesPerChannel: 600 },
};
/** Six pages, five waits. */
const slow = { routes: { 'GET /channels/:id/messages': { limit: 1, perMs: 10_000 } } };
const request = {
  components: ['settings', 'roles', 'channels', 'emojis', 'bans', 'memberRoles', 'messages'],
  messagesPerChannel: 600,
};

/** Fifty servers at once, in one worker, against one alone whose slow bucket decides how long it takes. */
export const measureFifty = async (bench: Bench): Promise<void> => {
  print(`backups: ${servers} servers at once, one worker, one slow bucket per server`);
  const alone = await backUpAll(bench, { count: 1, bots: 1 });
  const ofOne = await backUpAll(bench, { count: servers, bots: 1 });
  const ofSeveral = await backUpAll(bench, { count: servers, bots: severalBots });
  const ratioTo = (spent: Spent) => spent.elapsedMs / alone.elapsedMs;
  const row = (name: string, spent: Spent) => [
    name,
    String(spent.calls),
    seconds(spent.elapsedMs),
    ratioTo(spent).toFixed(2),
    seconds(Math.max(...spent.runs.map(queuedMs))),
    seconds(Math.max(...spent.runs.map(wallMs))),
    seconds(spent.processorMs),
  ];
  printTable(
    ['', 'calls', 'first start to last end', 'ratio', 'longest queued', 'slowest', 'processor'],
    [
      row('1 server', alone),
      row(`${servers} servers, 1 bot`, ofOne),
      row(`${servers} servers, ${severalBots} bots`, ofSeveral),
    ],
  );
  const isReached = Math.max(ratioTo(ofOne), ratioTo(ofSeveral)) <= goal;
  print(`  ${servers} at once / 1 alone ≤ ${goal}: ${verdict(isReached)}\n`);
};

type Spent = { runs: Run[]; calls: number; elapsedMs: number; processorMs: number };

const backUpAll = async (
  bench: Bench,
  { count, bots }: { count: number; bots: number },
): Promise<Spent> => {
  const { simulator, service } = bench;
  const { addGuild, api } = await createBackupOwner(bench, bots);
  await simulator.setLimits({});
  const serverIds: string[] = [];
  for (let at = 0; at < count; at++) serverIds.push((await addGuild(sizes)).serverId);
  await simulator.setLimits(slow);
  await simulator.clearLog();
  const usedMs = await processorMs(service.pid);
  const runs = await Promise.all(serverIds.map((serverId) => api.backUp(serverId, request)));
  const firstStart = Math.min(...runs.map(({ startedAt }) => startedAt));
  const lastEnd = Math.max(...runs.map(({ completedAt }) => completedAt));
  const calls = (await simulator.readLog()).length;
  const spentMs = (await processorMs(service.pid)) - usedMs;
  return { runs, calls, elapsedMs: lastEnd - firstStart, processorMs: spentMs };
};

import type { Bench } from '../lib/environment.ts';
import { damageGuild, type Sizes } from '../lib/guilds.ts';
import { print, printTable, seconds, verdict } from '../lib/print.ts';
import { countDueJobs, countStepsByStage } from '../lib/queries.ts';
import type { LoggedCall } from '../lib/simulator.ts';
import { type Run, wallMs } from './api.ts';
import { floorMs } from './floor.ts';
import type { BackupOwner } from './owner.ts';

const goal = 1.1;

const usual: Sizes = {
  ...{ categories: 5, channels: 40, roles: 20, emojis: 10 },
  ...{ bans: 15, members: 25, messagesPerChannel: 0 },
};
/** Twelve pages of members, and as many of bans. */
const crowded: Sizes = { ...usual, bans: 11_500, members: 11_500 };
/** All that can be asked for: ten pages of each channel. */
const talkative: Sizes = { ...usual, channels: 20, messagesPerChannel: 1000 };
const wrecked: Sizes = {
  ...{ categories: 2, channels: 20, roles: 8, emojis: 5 },
  ...{ bans: 0, members: 0, messagesPerChannel: 0 },
};

type Measured = { name: string; calls: number; leastCalls: number; floorMs: number; run: Run };

/** One server alone, at the platform's usual limits: calls and time against what the platform allows. */
export const measureAlone = async (bench: Bench, owner: BackupOwner): Promise<void> => {
  print('backups: one server alone, default limits');
  const measured = [
    await measureBackup(bench, owner, 'backup', usual),
    await measureBackup(bench, owner, 'backup, 11,500 members and bans', crowded),
    await measureBackup(bench, owner, 'backup, 20 × 1,000 messages', talkative),
    await measureRestore(bench, owner),
  ];
  printTable(['', 'calls', 'least', 'floor', 'wall', 'ratio'], measured.map(rowOf));
  const ratios = measured.map(ratioOf).filter(Number.isFinite);
  const isReached = Math.max(...ratios) <= goal && measured.every(isLeast);
  print(`  the least calls, and wall / floor ≤ ${goal}: ${verdict(isReached)}\n`);
};

const ratioOf = ({ floorMs: floor, run }: Measured): number => wallMs(run) / floor;
const isLeast = ({ calls, leastCalls }: Measured): boolean => calls === leastCalls;

const rowOf = (measured: Measured): string[] => [
  measured.name,
  String(measured.calls),
  String(measured.leastCalls),
  seconds(measured.floorMs),
  seconds(wallMs(measured.run)),
  // What no bucket delays has nothing to be compared with.
  measured.floorMs === 0 ? '–' : ratioOf(measured).toFixed(2),
];

const measureBackup = async (
  bench: Bench,
  { addGuild, api }: BackupOwner,
  name: string,
  sizes: Sizes,
): Promise<Measured> => {
  const { serverId } = await addGuild(sizes);
  const { messagesPerChannel } = sizes;
  const request = messagesPerChannel > 0 ? { components: everything, messagesPerChannel } : {};
  const { run, calls, limits } = await observe(bench, () => api.backUp(serverId, request));
  const leastCalls = readingCalls(sizes) + askingForIntents;
  return { name, calls: calls.length, leastCalls, floorMs: floorMs([calls], limits), run };
};

const everything = [
  ...['settings', 'roles', 'channels', 'emojis', 'stickers', 'bans', 'memberRoles', 'messages'],
];

/**
 * Settings, roles, emojis and stickers come with the guild itself; all channels come in one call. Each
 * other part is one call; of a guild that is no community, onboarding and welcome screen are not asked for.
 */
const readingCalls = ({ bans, members, channels, messagesPerChannel }: Sizes): number =>
  2 +
  invites +
  (messagesPerChannel > 0 ? 0 : parts) +
  pagesOf(bans) +
  pagesOf(members) +
  channels * Math.ceil(messagesPerChannel / 100);

const invites = 1;
/** AutoMod rules, events, sounds and webhooks; the talkative guild is asked for less. */
const parts = 4;
/** Whether the bot may list members and read what messages say: once before each backup. */
const askingForIntents = 1;

/** Only a page that is not full tells that it is the last. */
const pagesOf = (people: number): number => Math.floor(people / 1000) + 1;

/** Each backup is test-restored afterwards: waits until the one before is. */
const untilQueuesAreEmpty = async ({ sql }: Bench): Promise<void> => {
  while ((await countDueJobs(sql)) > 0) await Bun.sleep(200);
};

type Observed = { run: Run; calls: LoggedCall[]; limits: Parameters<typeof floorMs>[1] };

const observe = async (bench: Bench, work: () => Promise<Run>): Promise<Observed> => {
  const { simulator } = bench;
  await untilQueuesAreEmpty(bench);
  const limits = await simulator.setLimits({});
  await simulator.clearLog();
  const run = await work();
  const calls = await simulator.readLog();
  const refused = calls.filter(({ status }) => status === null || status >= 400);
  const [first] = refused;
  if (first) {
    const { method, path, status } = first;
    throw new Error(
      `The platform refused ${refused.length} calls, first ${method} ${path} with ${status}`,
    );
  }
  return { run, calls, limits };
};

/** Reads before the first change: as a backup does, then once more for the plan, and who the bot is. */
const readsBefore = 2 * readingCalls(usual) + askingForIntents + 2;
/** And afterwards, to verify the result. */
const readsAfter = readingCalls(usual);

/** Restores a damaged guild; the floor follows the stages of the journal. */
const measureRestore = async (bench: Bench, { addGuild, api }: BackupOwner): Promise<Measured> => {
  const { serverId, guildId, guild } = await addGuild(usual);
  const backup = await api.backUp(serverId);
  await bench.simulator.setGuild(guildId, damageGuild(guildId, guild, wrecked));
  const { run, calls, limits } = await observe(bench, () => api.restore(serverId, backup.id));
  const stages = await countStepsByStage(bench.sql, run.id);
  const steps = stages.reduce((sum, count) => sum + count, 0);
  return {
    name: 'restore',
    calls: calls.length,
    leastCalls: readsBefore + steps + readsAfter,
    floorMs: floorMs(phasesOf(calls, stages), limits),
    run,
  };
};

/** No stage begins before the one before has ended, so their calls stand in the log one after another. */
const phasesOf = (calls: LoggedCall[], stages: readonly number[]): LoggedCall[][] => {
  const writes = calls.filter(({ method }) => method !== 'GET');
  const firstWrite = calls.findIndex(({ method }) => method !== 'GET');
  const reads = calls.map((call, at) => ({ call, at })).filter(({ call }) => call.method === 'GET');
  const isBefore = ({ at }: { at: number }) => at < firstWrite;
  let from = 0;
  const staged = stages.map((count) => {
    from += count;
    return writes.slice(from - count, from);
  });
  return [
    reads.filter(isBefore).map(({ call }) => call),
    ...staged,
    reads.filter((read) => !isBefore(read)).map(({ call }) => call),
  ];
};

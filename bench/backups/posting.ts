import type { Bench } from '../lib/environment.ts';
import type { Sizes } from '../lib/guilds.ts';
import { print, printTable, seconds, verdict } from '../lib/print.ts';
import { floorMs } from './floor.ts';
import type { BackupOwner } from './owner.ts';

const goal = 1.1;

const talkative: Sizes = {
  ...{ categories: 1, channels: 10, roles: 2, emojis: 0 },
  ...{ bans: 0, members: 3, messagesPerChannel: 100 },
};

const components = ['settings', 'roles', 'channels', 'messages'];

/** As the platform is observed to limit webhooks; everything else is not held up. */
const limits = {
  default: { limit: 1000, perMs: 1000 },
  routes: { 'POST /webhooks/:id/:id': { limit: 5, perMs: 2000 } },
};

/** Messages that a restore posts again: the time from the first post to the last against the buckets. */
export const measurePosting = async (
  { simulator }: Bench,
  { addGuild, api }: BackupOwner,
): Promise<void> => {
  print('backups: messages posted again, five posts in two seconds per channel');
  await simulator.setLimits(limits);
  const { serverId } = await addGuild(talkative);
  const backup = await api.backUp(serverId, { components, messagesPerChannel: 1000 });
  const set = await simulator.setLimits(limits);
  await simulator.clearLog();
  await api.restore(serverId, backup.id, { components });
  const posts = await simulator.readPosts();
  const [first, last] = [posts.at(0), posts.at(-1)];
  const floor = floorMs([posts], set);
  const took = (last?.at.getTime() ?? 0) - (first?.at.getTime() ?? 0);
  const ratio = took / floor;
  const expected = talkative.channels * talkative.messagesPerChannel;
  printTable(
    ['posts', 'floor', 'took', 'ratio'],
    [[String(posts.length), seconds(floor), seconds(took), ratio.toFixed(2)]],
  );
  const isReached = ratio <= goal && posts.length === expected;
  print(`  each message once, and took / floor ≤ ${goal}: ${verdict(isReached)}\n`);
};

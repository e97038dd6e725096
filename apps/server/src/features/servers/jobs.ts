import { z } from 'zod';
import type { Database, Transaction } from '../../db/connect.ts';
import { deleteInBatches } from '../../db/queries/purge-rows.ts';
import { commitWithoutWaiting } from '../../db/queries.ts';
import type { Clock } from '../../kernel/clock.ts';
import { inParallel } from '../../kernel/concurrency.ts';
import { type Job, ofAccount, ofAccountIfKnown } from '../../queue/job.ts';
import type { BotDependencies } from '../bots/use/use-bot.ts';
import { readSeenGuild, type SeenIds } from './guild/guild-summary.ts';
import { storeSeenPointers } from './pointers/move-pointers.ts';
import { brokenPointers } from './pointers/pointers.ts';
import { findPointers } from './pointers/queries.ts';
import {
  deleteMarkedServer,
  findGuildOfServer,
  isMarkedDeleted,
  listServersToRefresh,
  readTime,
  storeGuildSummary,
} from './queries.ts';

/** Deletes at most `most` rows of a server and returns how many there were; 0 when all are gone. */
export type ServerPurger = (tx: Transaction, serverId: string, most: number) => Promise<number>;

/** A few milliseconds of work, then a longer pause, so that a purge slows nothing else. */
const rowsAtATime = 250;
const pauseMs = 20;

export const purgeServer = {
  name: 'servers.purge',
  payload: z.object({ serverId: z.guid(), accountId: z.guid().optional() }),
  groupOf: ofAccountIfKnown,
};

/** Deletes all rows of a deleted server, in chunks, then the server itself. */
export const purgeServerJob = ({
  db,
  purgers,
}: {
  db: Database;
  purgers: readonly ServerPurger[];
}): Job<z.output<typeof purgeServer.payload>> => ({
  ...purgeServer,
  async run({ serverId }, signal) {
    if (!(await isMarkedDeleted(db, serverId))) return;
    for (const purge of purgers) {
      await deleteInBatches({ signal, pauseMs }, () => purgeSome(db, purge, serverId));
    }
    await deleteMarkedServer(db, serverId);
  },
});

const purgeSome = (db: Database, purge: ServerPurger, serverId: string): Promise<number> =>
  db.transaction(async (tx) => {
    // A chunk that a crash brings back is purged again, so the commit need not wait for the disk.
    await commitWithoutWaiting(tx);
    return purge(tx, serverId, rowsAtATime);
  });

type Owned = { accountId: string; serverId: string };

/** What was seen of a server's guild, and from when on. */
export type Observation = Owned & {
  guildId: string;
  /** What it has, or that the bot is not in it. */
  seen: SeenIds | 'gone';
  /** By the database's clock, like everything that it is compared with. */
  seenAt: Date;
};

type RefreshDependencies = BotDependencies & {
  clock: Clock;
  /** Takes what was seen of the guild; the health is judged by it. */
  observeGuild(tx: Transaction, observation: Observation): Promise<void>;
};

/**
 * Reads one server's icon and member count, and looks for the role and the channel that its settings
 * name: after it was created, moved to another guild, or given another role or channel.
 */
export const refreshServer = {
  name: 'servers.refresh',
  payload: z.object({
    ...{ serverId: z.guid(), accountId: z.guid() },
    /** The key or session whose request named the guild. */
    callerId: z.string().optional(),
  }),
  groupOf: ofAccount,
  concurrency: 8,
};

type Refresh = z.output<typeof refreshServer.payload>;

export const refreshServerJob = (dependencies: RefreshDependencies) =>
  ({
    ...refreshServer,
    run: ({ callerId, ...owner }: Refresh, signal: AbortSignal) =>
      refresh(dependencies, owner, { signal, callerId, readsAll: true }),
  }) satisfies Job<Refresh>;

const refreshEveryMs = 60 * 60 * 1000;
const serversAtATime = 1000;
const serversAtOnce = 8;

/** Refreshes all servers from time to time, the least recently refreshed first. */
export const refreshServers = { name: 'servers.refresh-all', payload: z.object({}) };

export const refreshServersJob = (dependencies: RefreshDependencies): Job => ({
  ...refreshServers,
  cron: '6-59/10 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    const before = new Date(dependencies.clock.now().getTime() - refreshEveryMs);
    const due = await listServersToRefresh(dependencies.db, before, serversAtATime);
    await inParallel(serversAtOnce, due, async (owner) => {
      if (!signal.aborted) await refresh(dependencies, owner, { signal, readsAll: false });
    });
  },
});

type Look = {
  signal: AbortSignal;
  callerId?: string | undefined;
  /** Channels need a call of their own, which is else made only for a channel that was not there. */
  readsAll: boolean;
};

const refresh = async (
  dependencies: RefreshDependencies,
  owner: Owned,
  { signal, callerId, readsAll }: Look,
): Promise<void> => {
  const { db } = dependencies;
  const guild = await findGuildOfServer(db, owner);
  if (!guild) return;
  const { guildId, botId } = guild;
  const server = { ...owner, guildId };
  const set = await findPointers(db, server);
  const isChannelMissed = set !== undefined && brokenPointers(set).includes('logChannelId');
  const readsChannels = readsAll || isChannelMissed;
  const seenAt = await readTime(db);
  const bot = { botId, accountId: owner.accountId, callerId };
  const reading = { signal, readsChannels, isTriedAgain: readsAll };
  const found = await readSeenGuild(dependencies, bot, guildId, reading);
  await storeGuildSummary(db, server, found === 'gone' ? undefined : found?.summary);
  if (!found) return;
  const seen = found === 'gone' ? found : found.seen;
  await db.transaction(async (tx) => {
    if (seen !== 'gone') await storeSeenPointers(tx, server, seen);
    await dependencies.observeGuild(tx, { ...server, seen, seenAt });
  });
};

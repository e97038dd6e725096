import { z } from 'zod';
import type { Database, Transaction } from '../../db/connect.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Job, type LeasedJob, ofAccount } from '../../queue/job.ts';
import { walkOn } from '../../queue/marks/walk-on.ts';
import type { Queue } from '../../queue/queue.ts';
import { endOldReturns, listServersWithReturns } from '../members/queries/returns.ts';
import {
  listServersForRollCall,
  listWaitingRollCalls,
  wantRollCall,
} from '../members/queries/roll-calls.ts';
import type { InGuild } from '../members/queries/seen.ts';
import { type GiveDependencies, giveBackAll } from './returns/give-back.ts';
import { callTheRoll, type RollCallDependencies } from './roll-call/call-roll.ts';

export const giveBack = {
  name: 'rejoins.give-back',
  payload: z.object({ serverId: z.guid(), accountId: z.guid(), botId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 64,
};

type ToGive = z.output<typeof giveBack.payload>;

/** Has those who came back on a server given what they had. */
export const giveBackLater =
  (queue: Pick<Queue, 'enqueue'>) =>
  async (tx: Transaction, server: ToGive): Promise<void> => {
    await queue.enqueue(tx, giveBack, server);
  };

/** Like a pull it mostly waits for the bot's own buckets, so others need not wait for it. */
export const giveBackJob = (dependencies: GiveDependencies): LeasedJob<ToGive> => ({
  ...giveBack,
  subjectOf: ({ serverId, botId }) => `rejoins:${serverId}:${botId}`,
  placeOf: ({ botId }) => `bot:${botId}`,
  givesWay: true,
  run: (payload, signal, lease) => giveBackAll(dependencies, payload, { signal, lease }),
});

export const callRoll = {
  name: 'rejoins.call-roll',
  payload: giveBack.payload,
  groupOf: ofAccount,
  concurrency: 8,
};

/** Nothing where the bot has no server there. */
export const requestRollCall = async (
  queue: Pick<Queue, 'enqueue'>,
  tx: Transaction,
  { guildId, ...bot }: InGuild,
): Promise<void> => {
  const serverId = await wantRollCall(tx, { ...bot, guildId });
  if (serverId === undefined) return;
  await queue.enqueue(tx, callRoll, { ...bot, serverId });
};

/** A page of a thousand members is in memory for each that runs, and all bots may connect at once. */
export const callRollJob = (
  dependencies: Omit<RollCallDependencies, 'onReturned'>,
): LeasedJob<z.output<typeof callRoll.payload>> => ({
  ...callRoll,
  subjectOf: ({ serverId, botId }) => `roll-call:${serverId}:${botId}`,
  placeOf: ({ botId }) => `bot:${botId}`,
  givesWay: true,
  run(payload, signal, lease) {
    const onReturned = giveBackLater(dependencies.queue);
    return callTheRoll({ ...dependencies, onReturned }, payload, { signal, lease });
  },
});

export const resumeReturns = { name: 'rejoins.resume', payload: z.object({}) };

const minuteMs = 60_000;
const waitsSinceMs = 5 * minuteMs;
/** Later it would surprise more than help. */
const longestWaitMs = 24 * 60 * minuteMs;
const serversAtATime = 500;

type ResumeDependencies = { db: Database; queue: Pick<Queue, 'enqueue'>; clock: Clock };

/**
 * Takes up what a bot could not give when people came back, for a day, and roll calls that were left; and
 * has the roll called where a bot was connected before it was given the server.
 */
export const resumeReturnsJob = ({ db, queue, clock }: ResumeDependencies): Job => ({
  ...resumeReturns,
  cron: '1-59/10 * * * *',
  async run(_, signal) {
    const now = clock.now().getTime();
    await endOldReturns(db, new Date(now - longestWaitMs));
    const since = new Date(now - waitsSinceMs);
    for (const server of await listServersWithReturns(db, since, serversAtATime)) {
      await db.transaction((tx) => giveBackLater(queue)(tx, server));
    }
    for (const server of await listWaitingRollCalls(db, since, serversAtATime)) {
      await db.transaction((tx) => queue.enqueue(tx, callRoll, server));
    }
    await requestMissingRollCalls({ db, queue }, since, signal);
  },
});

/** Of so many servers in each run: whether one is missing is known only by server, bot and roll call together. */
const serversInARun = 50_000;

const requestMissingRollCalls = (
  { db, queue }: Omit<ResumeDependencies, 'clock'>,
  before: Date,
  signal: AbortSignal,
): Promise<void> => {
  const look = async (after: string) => {
    const servers = await listServersForRollCall(db, before, { after, most: serversAtATime });
    for (const { serverId: _, needsRollCall, ...guild } of servers) {
      if (needsRollCall) await db.transaction((tx) => requestRollCall(queue, tx, guild));
    }
    const last = servers.length < serversAtATime ? undefined : servers.at(-1)?.serverId;
    return { last, seen: servers.length };
  };
  return walkOn(db, { name: 'rejoins.resume: servers', most: serversInARun, signal, look });
};

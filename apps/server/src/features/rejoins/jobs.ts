import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Job, LeasedJob } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { endOldReturns, listServersWithReturns } from '../members/queries/seen.ts';
import { type GiveDependencies, giveBackAll } from './returns/give-back.ts';

export const giveBack = {
  name: 'rejoins.give-back',
  payload: z.object({ serverId: z.guid(), accountId: z.guid(), botId: z.guid() }),
};

/** Like a pull it mostly waits for the bot's own buckets, so others need not wait for it. */
export const giveBackJob = (
  dependencies: GiveDependencies,
): LeasedJob<z.output<typeof giveBack.payload>> => ({
  ...giveBack,
  concurrency: 64,
  groupConcurrency: 8,
  subjectOf: ({ serverId, botId }) => `rejoins:${serverId}:${botId}`,
  placeOf: ({ botId }) => `bot:${botId}`,
  run: (payload, signal, lease) => giveBackAll(dependencies, payload, { signal, lease }),
});

export const resumeReturns = { name: 'rejoins.resume', payload: z.object({}) };

const minuteMs = 60_000;
const waitsSinceMs = 5 * minuteMs;
/** Later it would surprise more than help. */
const longestWaitMs = 24 * 60 * minuteMs;
const serversAtATime = 500;

type ResumeDependencies = { db: Database; queue: Pick<Queue, 'enqueue'>; clock: Clock };

/** Takes up what a bot could not give when people came back, for a day. */
export const resumeReturnsJob = ({ db, queue, clock }: ResumeDependencies): Job => ({
  ...resumeReturns,
  cron: '*/10 * * * *',
  async run() {
    const now = clock.now().getTime();
    await endOldReturns(db, new Date(now - longestWaitMs));
    const since = new Date(now - waitsSinceMs);
    for (const server of await listServersWithReturns(db, since, serversAtATime)) {
      const group = server.accountId;
      await db.transaction((tx) => queue.enqueue(tx, giveBack, server, { group }));
    }
  },
});

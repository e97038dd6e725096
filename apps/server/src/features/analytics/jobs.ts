import { z } from 'zod';
import type { Database, Transaction } from '../../db/connect.ts';
import { commitWithoutWaiting } from '../../db/queries.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Job } from '../../queue/job.ts';
import type { ServerPurger } from '../servers/jobs.ts';
import {
  countHour,
  findFirstAttempt,
  findMark,
  forgetAttempts,
  forgetVisits,
  lockMark,
  moveMark,
  purgeCounts,
} from './queries.ts';
import { hourAfter, hourOf, rawKeptSince, settledUntil } from './rules.ts';

const rowsAtATime = 1000;
const restMs = 20;

type Tools = { db: Database; clock: Clock };

export const rollUpAttempts = { name: 'analytics.roll-up', payload: z.object({}) };

/** Counts the hours that are over, and forgets attempts that were counted long ago. */
export const rollUpAttemptsJob = (tools: Tools): Job => ({
  ...rollUpAttempts,
  cron: '*/10 * * * *',
  async run(_, signal) {
    await rollUp(tools, signal);
    await forgetOldAttempts(tools, signal);
  },
});

/** Hour by hour, each in a transaction of its own: however much has gathered, nobody waits long. */
export const rollUp = async ({ db, clock }: Tools, signal: AbortSignal): Promise<void> => {
  const until = settledUntil(clock.now());
  while (await db.transaction((tx) => rollUpNext(tx, until))) signal.throwIfAborted();
};

/** Whether there was an hour to count. Hours without attempts are skipped. */
const rollUpNext = async (tx: Transaction, until: Date): Promise<boolean> => {
  // What a crash brings back is counted again: the mark comes back with it.
  await commitWithoutWaiting(tx);
  const from = await lockMark(tx);
  // Another worker whose clock is ahead was here: the mark never goes back.
  if (from >= until) return false;
  const first = await findFirstAttempt(tx, { from, to: until });
  if (!first) {
    await moveMark(tx, until);
    return false;
  }
  const hour = { from: hourOf(first), to: hourAfter(hourOf(first)) };
  await countHour(tx, hour);
  await moveMark(tx, hour.to);
  return true;
};

export const forgetOldAttempts = async (
  { db, clock }: Tools,
  signal: AbortSignal,
): Promise<void> => {
  const countedUntil = await findMark(db);
  if (!countedUntil) return;
  const before = rawKeptSince(clock.now(), countedUntil);
  while ((await forgetAttempts(db, before, rowsAtATime)) > 0) {
    signal.throwIfAborted();
    await Bun.sleep(restMs);
  }
  // Who never came back is in the counts, and nothing else is known of them.
  while ((await forgetVisits(db, countedUntil, rowsAtATime)) > 0) {
    signal.throwIfAborted();
    await Bun.sleep(restMs);
  }
};

/** The attempts themselves are the verification's to purge. */
export const purgeAnalytics: ServerPurger = purgeCounts;

import { z } from 'zod';
import type { Database, Transaction } from '../../db/connect.ts';
import { deleteInBatches } from '../../db/queries/purge-rows.ts';
import { commitWithoutWaiting } from '../../db/queries.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Job } from '../../queue/job.ts';
import { deleteCountedAttempts, deleteCountedVisits } from '../verification/queries/attempts.ts';
import {
  countHour,
  findFirstAttempt,
  findRollupMark,
  lockRollupMark,
  moveRollupMark,
} from './queries.ts';
import { hourAfter, hourOf, rawKeptSince, settledUntil } from './rules.ts';

const rowsAtATime = 1000;
const pauseMs = 20;

type Dependencies = { db: Database; clock: Clock };

export const rollUpAttempts = { name: 'analytics.roll-up', payload: z.object({}) };

/** Counts the hours that are over, and deletes attempts that were counted long ago. */
export const rollUpAttemptsJob = (dependencies: Dependencies): Job => ({
  ...rollUpAttempts,
  cron: '8-59/10 * * * *',
  async run(_, signal) {
    await rollUp(dependencies, signal);
    await deleteOldAttempts(dependencies, signal);
  },
});

/** Hour by hour, each in its own transaction, so that no lock is held for long after a backlog. */
export const rollUp = async ({ db, clock }: Dependencies, signal: AbortSignal): Promise<void> => {
  const until = settledUntil(clock.now());
  while (await db.transaction((tx) => rollUpNext(tx, until))) signal.throwIfAborted();
};

/** Whether there was an hour to count. Hours without attempts are skipped. */
const rollUpNext = async (tx: Transaction, until: Date): Promise<boolean> => {
  // An hour that a crash brings back is counted again, because the mark comes back with it.
  await commitWithoutWaiting(tx);
  const from = await lockRollupMark(tx);
  // A worker whose clock is ahead has moved the mark, which never goes back.
  if (from >= until) return false;
  const first = await findFirstAttempt(tx, { from, to: until });
  if (!first) {
    await moveRollupMark(tx, until);
    return false;
  }
  const hour = { from: hourOf(first), to: hourAfter(hourOf(first)) };
  await countHour(tx, hour);
  await moveRollupMark(tx, hour.to);
  return true;
};

export const deleteOldAttempts = async ({ db, clock }: Dependencies, signal: AbortSignal) => {
  const countedUntil = await findRollupMark(db);
  if (!countedUntil) return;
  const before = rawKeptSince(clock.now(), countedUntil);
  const batches = { signal, pauseMs };
  await deleteInBatches(batches, () => deleteCountedAttempts(db, before, rowsAtATime));
  // A visit without a next step holds nothing but what the counts hold.
  await deleteInBatches(batches, () => deleteCountedVisits(db, countedUntil, rowsAtATime));
};

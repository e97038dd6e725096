import { isNotNull } from 'drizzle-orm';
import { bigint, index, pgSequence, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { json, moment } from '../db/table-columns.ts';

/** A sequence never repeats a number, also not after a row is deleted: an old holder matches no row. */
export const jobLeaseFences = pgSequence('job_lease_fences');

/** Which worker runs which long job, and until when. Deleted when the job has ended. */
export const jobLeases = pgTable(
  'job_leases',
  {
    /** What the job is about, such as one restore: only one worker at a time runs it. */
    subject: text().primaryKey(),
    queue: text().notNull(),
    payload: json<object>().notNull(),
    groupId: text(),
    /** Where it runs, such as one bot: no two workers are at the same place at a time. */
    place: text(),
    /** The queue entry that runs it, or that will continue it. */
    jobId: uuid().notNull(),
    /** Null while it waits in the queue for any worker. */
    workerId: text(),
    fence: bigint({ mode: 'number' }).notNull(),
    until: moment().notNull(),
  },
  (lease) => [
    index('job_leases_of_worker').on(lease.workerId),
    index('job_leases_until').on(lease.until),
    index('job_leases_place').on(lease.place).where(isNotNull(lease.place)),
  ],
);

/** How far a job has come that goes through much, some of it in each run. */
export const jobMarks = pgTable('job_marks', {
  name: text().primaryKey(),
  /** The last id that was looked at. */
  after: uuid().notNull(),
});

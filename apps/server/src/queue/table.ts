import { isNotNull } from 'drizzle-orm';
import { bigint, index, pgSequence, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { json, moment } from '../db/columns.ts';

/** No number is given twice, also not after a row is gone: a holder of long ago matches none. */
export const jobLeaseFences = pgSequence('job_lease_fences');

/** Who does which long job, and until when nobody else may. Deleted when the job has ended. */
export const jobLeases = pgTable(
  'job_leases',
  {
    /** What the job is about, such as one restore: only one worker at a time is at it. */
    subject: text().primaryKey(),
    queue: text().notNull(),
    payload: json<object>().notNull(),
    groupId: text(),
    /** Where it is done: no two workers are at the same place at a time. */
    place: text(),
    /** The entry in the queue that does it, or that will take it up. */
    jobId: uuid().notNull(),
    /** Nobody's while it waits in the queue to be taken up by whoever comes first. */
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

import { index, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../db/table-columns.ts';

/** Answers of 401, 403 and 429 from the platform to all processes, in buckets of ten seconds. */
export const platformRefusals = pgTable(
  'platform_refusals',
  {
    accountId: uuid().notNull(),
    at: moment().notNull(),
    total: integer().notNull(),
    /** Of urgent calls, for which the usual share was used up. */
    urgent: integer().notNull().default(0),
  },
  (refusal) => [
    primaryKey({ columns: [refusal.accountId, refusal.at] }),
    index('platform_refusals_age').on(refusal.at),
  ],
);

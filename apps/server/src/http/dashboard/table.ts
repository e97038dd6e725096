import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../db/table-columns.ts';

/**
 * Scripts and styles of the dashboard, of every release that ran lately. Named by a hash of what is in them.
 */
export const dashboardFiles = pgTable(
  'dashboard_files',
  {
    name: text().primaryKey(),
    type: text().notNull(),
    text: text().notNull(),
    /** When a process that has this file in its own release last said so. */
    servedAt: moment().notNull().defaultNow(),
  },
  (file) => [index('dashboard_files_by_time').on(file.servedAt)],
);

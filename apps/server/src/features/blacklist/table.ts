import { index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';

export const blacklist = pgTable(
  'blacklist',
  {
    id: uuid().primaryKey(),
    accountId: partOf(() => accounts.id).notNull(),
    platformId: text().notNull(),
    reason: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (entry) => [
    unique('blacklist_platform_id_of_account').on(entry.accountId, entry.platformId),
    index('blacklist_of_account').on(entry.accountId, entry.createdAt, entry.id),
  ],
);

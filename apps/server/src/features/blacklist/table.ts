import { index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../db/columns.ts';
import { users } from '../users/table.ts';

export const blacklist = pgTable(
  'blacklist',
  {
    id: uuid().primaryKey(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    platformId: text().notNull(),
    reason: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (entry) => [
    unique('blacklist_platform_id_of_user').on(entry.userId, entry.platformId),
    index('blacklist_of_user').on(entry.userId, entry.createdAt, entry.id),
  ],
);

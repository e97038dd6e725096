import type { PlanName } from '@holdfast/contract';
import { boolean, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

export const users = pgTable('users', {
  id: uuid().primaryKey(),
  platformId: text().notNull().unique(),
  username: text().notNull(),
  displayName: text(),
  avatarUrl: text(),
  plan: text().$type<PlanName>().notNull().default('FREE'),
  mfaEnabled: boolean().notNull().default(false),
  createdAt: timestamp({ withTimezone: true, precision: 3 }).notNull().defaultNow(),
  updatedAt: timestamp({ withTimezone: true, precision: 3 }).notNull().defaultNow(),
});

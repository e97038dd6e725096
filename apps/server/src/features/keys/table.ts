import type { KeyScope } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../db/columns.ts';
import { users } from '../users/table.ts';

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    scopes: text().array().$type<KeyScope[]>().notNull(),
    /** SHA-256 of the key: the key itself is nowhere. */
    hash: text().notNull().unique(),
    lastFour: text().notNull(),
    lastUsedAt: moment(),
    expiresAt: moment(),
    revokedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (key) => [
    index('api_keys_of_user').on(key.userId, key.createdAt, key.id),
    index('api_keys_live').on(key.userId).where(sql`revoked_at is null`),
  ],
);

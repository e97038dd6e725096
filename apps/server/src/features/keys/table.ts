import type { KeyScope } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey(),
    accountId: partOf(() => accounts.id).notNull(),
    name: text().notNull(),
    scopes: text().array().$type<KeyScope[]>().notNull(),
    /** SHA-256 of the key, which itself is not stored. */
    hash: text().notNull().unique(),
    lastFour: text().notNull(),
    lastUsedAt: moment(),
    expiresAt: moment(),
    revokedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (key) => [
    index('api_keys_of_account').on(key.accountId, key.createdAt, key.id),
    index('api_keys_live').on(key.accountId).where(sql`revoked_at is null`),
  ],
);

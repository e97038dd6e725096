import type { PlanName } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../db/table-columns.ts';

export const accounts = pgTable(
  'accounts',
  {
    id: uuid().primaryKey(),
    platformId: text().notNull().unique(),
    username: text().notNull(),
    displayName: text(),
    avatarUrl: text(),
    /** From the platform at sign-in, where the person allowed it; only for alerts and mails about money. */
    email: text(),
    plan: text().$type<PlanName>().notNull().default('FREE'),
    /** Addresses, devices and people of the account are hashed under it; sealed. */
    hashKey: text(),
    mfaEnabled: boolean().notNull().default(false),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  () => [index('accounts_seal_key').on(sql`split_part(hash_key, '.', 2)`)],
);

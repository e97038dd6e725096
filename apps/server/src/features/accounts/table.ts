import type { PlanName } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../db/columns.ts';

export const accounts = pgTable(
  'accounts',
  {
    id: uuid().primaryKey(),
    platformId: text().notNull().unique(),
    username: text().notNull(),
    displayName: text(),
    avatarUrl: text(),
    /** As the platform told it at sign-in, to those who let it; for mails about money alone. */
    email: text(),
    plan: text().$type<PlanName>().notNull().default('FREE'),
    /** Under which addresses and devices of the account's newcomers are hashed; sealed. */
    hashKey: text(),
    mfaEnabled: boolean().notNull().default(false),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  () => [index('accounts_seal_key').on(sql`split_part(hash_key, '.', 2)`)],
);

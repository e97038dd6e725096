import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../../db/table-columns.ts';
import { accounts } from '../../accounts/table.ts';

/** The secret of a person's authenticator. It is enabled once a first code was entered. */
export const secondFactors = pgTable(
  'second_factors',
  {
    accountId: partOf(() => accounts.id).primaryKey(),
    /** Sealed. */
    secret: text().notNull(),
    enabledAt: moment(),
    /** The half minute of the newest code that was accepted: no code works twice. */
    lastStep: integer().notNull().default(0),
    /** Wrong codes in a row. */
    failures: integer().notNull().default(0),
    lockedUntil: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  () => [index('second_factors_seal_key').on(sql`split_part(secret, '.', 2)`)],
);

/** Each replaces a code of the authenticator once. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    accountId: partOf(() => accounts.id).notNull(),
    hash: text().notNull(),
  },
  (code) => [primaryKey({ columns: [code.accountId, code.hash] })],
);

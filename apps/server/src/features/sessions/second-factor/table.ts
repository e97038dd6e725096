import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../../db/columns.ts';
import { accounts } from '../../accounts/table.ts';

/** What a person's authenticator makes its codes from. It counts once a first code has come back. */
export const secondFactors = pgTable(
  'second_factors',
  {
    accountId: uuid()
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Sealed. */
    secret: text().notNull(),
    enabledAt: moment(),
    /** The half minute of the newest code that was taken: no code counts twice. */
    lastStep: integer().notNull().default(0),
    /** Wrong codes in a row. */
    failures: integer().notNull().default(0),
    lockedUntil: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  () => [index('second_factors_seal_key').on(sql`split_part(secret, '.', 2)`)],
);

/** Each stands in for the authenticator once, and is gone then. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    hash: text().notNull(),
  },
  (code) => [primaryKey({ columns: [code.accountId, code.hash] })],
);

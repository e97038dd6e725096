import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../../db/table-columns.ts';
import { accounts } from '../../accounts/table.ts';

/** The secret of a person's authenticator. It is enabled once a first code was entered. */
export const secondFactors = pgTable(
  'second_factors',
  {
    accountId: uuid()
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
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
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    hash: text().notNull(),
  },
  (code) => [primaryKey({ columns: [code.accountId, code.hash] })],
);

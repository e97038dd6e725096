import type { LedgerPot, LedgerType } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { bigint, check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../../db/columns.ts';

/** Double entry: what one account gains another loses, so that a transaction's postings add up to nothing. */
export const ledgerTransactions = pgTable('ledger_transactions', {
  id: uuid().primaryKey(),
  type: text().$type<LedgerType>().notNull(),
  /** What it is about, for whoever reads it. */
  reference: text().notNull(),
  /** Where it may happen once only, the name of that one time. */
  onceKey: text().unique(),
  createdAt: moment().notNull().defaultNow(),
});

export const ledgerPostings = pgTable(
  'ledger_postings',
  {
    /** Given under the balance's lock: of one balance, the order in which it moved. */
    seq: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    id: uuid().notNull(),
    transactionId: uuid()
      .notNull()
      .references(() => ledgerTransactions.id),
    /** `user:<id>`, or one of ours and of the providers, such as `provider:card`. */
    account: text().notNull(),
    /** No key to the user's row: half a transaction would be left when it goes. */
    accountId: uuid(),
    /** Of a user's account alone: which of their two pots. */
    pot: text().$type<LedgerPot>(),
    amountCents: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    /** Of the pot after it; kept for users alone: a balance that everybody moves would be a queue. */
    balanceCents: bigint({ mode: 'number' }),
  },
  (posting) => [
    index('ledger_postings_of_transaction').on(posting.transactionId),
    index('ledger_postings_of_user').on(posting.accountId, posting.seq),
    check('ledger_postings_pot', sql`(account_id is null) = (pot is null)`),
  ],
);

/** What each user holds in each pot; the row is the lock under which it moves. */
export const ledgerBalances = pgTable(
  'ledger_balances',
  {
    accountId: uuid().notNull(),
    currency: text().notNull(),
    pot: text().$type<LedgerPot>().notNull(),
    balanceCents: bigint({ mode: 'number' }).notNull(),
  },
  (balance) => [
    primaryKey({ columns: [balance.accountId, balance.currency, balance.pot] }),
    check('ledger_balances_credit', sql`pot <> 'CREDIT' or balance_cents >= 0`),
  ],
);

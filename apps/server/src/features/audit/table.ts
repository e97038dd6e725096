import type { ActorType } from '@holdfast/contract';
import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/table-columns.ts';

/** Without a foreign key to the account: entries outlive its row. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    accountId: uuid().notNull(),
    /** 1, 2, 3 … without a gap: the chain's order, and its length. */
    seq: bigint({ mode: 'number' }).notNull(),
    id: uuid().notNull(),
    at: moment().notNull(),
    actorType: text().$type<ActorType>().notNull(),
    actorId: text(),
    action: text().notNull(),
    subjectType: text().notNull(),
    subjectId: text(),
    changes: json<Record<string, unknown>>().notNull(),
    prevHash: text().notNull(),
    hash: text().notNull(),
  },
  (entry) => [primaryKey({ columns: [entry.accountId, entry.seq] })],
);

/** The last entry of each account's chain; its row is the lock under which the chain grows. */
export const auditHeads = pgTable('audit_heads', {
  accountId: uuid().primaryKey(),
  seq: bigint({ mode: 'number' }).notNull(),
  hash: text().notNull(),
});

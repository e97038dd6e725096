import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../db/columns.ts';

/** The answers kept for repeats of a request that carried an Idempotency-Key. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    callerId: uuid().notNull(),
    idempotencyKey: text().notNull(),
    requestHash: text().notNull(),
    status: integer().notNull(),
    /** Empty where the answer showed a secret: that one is never given twice. */
    body: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (answer) => [
    primaryKey({ columns: [answer.callerId, answer.idempotencyKey] }),
    index('idempotent_answers_age').on(answer.createdAt),
  ],
);

import { sql } from 'drizzle-orm';
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
    /** The account of the caller, where the answer can name people (see `namesPeople`). */
    peopleOfUserId: uuid(),
  },
  (answer) => [
    primaryKey({ columns: [answer.callerId, answer.idempotencyKey] }),
    index('idempotent_answers_age').on(answer.createdAt),
    index('idempotent_answers_people')
      .on(answer.peopleOfUserId)
      .where(sql`people_of_user_id is not null`),
  ],
);

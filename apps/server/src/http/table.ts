import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../db/table-columns.ts';

/** Answers stored for repeats of requests that carried an Idempotency-Key. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    callerId: uuid().notNull(),
    idempotencyKey: text().notNull(),
    requestHash: text().notNull(),
    status: integer().notNull(),
    /** Null where the answer showed a secret: it is never sent a second time. */
    body: text(),
    createdAt: moment().notNull().defaultNow(),
    /** The caller's account, where the answer can name people (`namesPeople` of the endpoint). */
    peopleOfAccountId: uuid('people_of_account_id'),
  },
  (answer) => [
    primaryKey({ columns: [answer.callerId, answer.idempotencyKey] }),
    index('idempotent_answers_age').on(answer.createdAt),
    index('idempotent_answers_people')
      .on(answer.peopleOfAccountId)
      .where(sql`people_of_account_id is not null`),
  ],
);

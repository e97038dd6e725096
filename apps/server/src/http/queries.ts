import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../db/connect.ts';
import { idempotentAnswers } from './table.ts';

type RequestKey = { callerId: string; idempotencyKey: string };

const keptFor = sql`interval '24 hours'`;

/** False while another request with the same key is running. Released with the transaction. */
export const tryLockRequest = async (
  tx: Transaction,
  { callerId, idempotencyKey }: RequestKey,
): Promise<boolean> => {
  const name = `${callerId}:${idempotencyKey}`;
  const [row] = await tx.execute(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`,
  );
  return row?.locked === true;
};

export const findKeptAnswer = async (tx: Transaction, { callerId, idempotencyKey }: RequestKey) => {
  const { requestHash, status, body, createdAt } = idempotentAnswers;
  const [answer] = await tx
    .select({ requestHash, status, body })
    .from(idempotentAnswers)
    .where(
      and(
        eq(idempotentAnswers.callerId, callerId),
        eq(idempotentAnswers.idempotencyKey, idempotencyKey),
        sql`${createdAt} > now() - ${keptFor}`,
      ),
    );
  return answer;
};

export const keepAnswer = async (
  tx: Transaction,
  answer: RequestKey & {
    requestHash: string;
    status: number;
    body: string | null;
    peopleOfUserId: string | null;
  },
): Promise<void> => {
  const { requestHash, status, body, peopleOfUserId } = answer;
  await tx
    .insert(idempotentAnswers)
    .values(answer)
    .onConflictDoUpdate({
      target: [idempotentAnswers.callerId, idempotentAnswers.idempotencyKey],
      set: { requestHash, status, body, peopleOfUserId, createdAt: sql`now()` },
    });
};

/** Of these accounts, those that can name people: one of them erased themselves. */
export const forgetAnswersNamingPeople = async (
  db: Queryable,
  accountIds: Iterable<string>,
): Promise<void> => {
  await db.delete(idempotentAnswers).where(inArray(idempotentAnswers.peopleOfUserId, [...accountIds]));
};

export const forgetOldAnswers = async (db: Queryable): Promise<void> => {
  await db
    .delete(idempotentAnswers)
    .where(lt(idempotentAnswers.createdAt, sql`now() - ${keptFor}`));
};

import { and, eq, inArray, lt, type SQLWrapper, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../db/connect.ts';
import { idempotentAnswers } from './table.ts';

type RequestKey = { callerId: string; idempotencyKey: string };
type StoredAnswer = Omit<typeof idempotentAnswers.$inferSelect, 'createdAt'>;

const retention = sql`interval '24 hours'`;

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

export const findStoredAnswer = async (db: Queryable, { callerId, idempotencyKey }: RequestKey) => {
  const { requestHash, status, body, createdAt } = idempotentAnswers;
  const [answer] = await db
    .select({ requestHash, status, body })
    .from(idempotentAnswers)
    .where(
      and(
        eq(idempotentAnswers.callerId, callerId),
        eq(idempotentAnswers.idempotencyKey, idempotencyKey),
        sql`${createdAt} > now() - ${retention}`,
      ),
    );
  return answer;
};

export const storeAnswer = async (tx: Transaction, answer: StoredAnswer): Promise<void> => {
  const { requestHash, status, body, peopleOfAccountId } = answer;
  await tx
    .insert(idempotentAnswers)
    .values(answer)
    .onConflictDoUpdate({
      target: [idempotentAnswers.callerId, idempotentAnswers.idempotencyKey],
      set: { requestHash, status, body, peopleOfAccountId, createdAt: sql`now()` },
    });
};

/** When a person was erased: the stored answers of these accounts that can name people. */
export const deleteAnswersNamingPeople = async (
  db: Queryable,
  accountIds: Iterable<string>,
): Promise<void> => {
  await db
    .delete(idempotentAnswers)
    .where(inArray(idempotentAnswers.peopleOfAccountId, [...accountIds]));
};

export const deleteExpiredAnswers = async (db: Queryable): Promise<void> => {
  await db
    .delete(idempotentAnswers)
    .where(lt(idempotentAnswers.createdAt, sql`now() - ${retention}`));
};

/** `callers` selects the ids of the keys or sessions whose answers are deleted. */
export const deleteAnswersOf = async (tx: Transaction, callers: SQLWrapper): Promise<void> => {
  await tx.delete(idempotentAnswers).where(inArray(idempotentAnswers.callerId, callers));
};

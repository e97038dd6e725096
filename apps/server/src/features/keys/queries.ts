import type { KeyScope } from '@holdfast/contract';
import { and, count, desc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Database, Queryable, Transaction } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { users } from '../users/table.ts';
import { apiKeys } from './table.ts';

const { id, name, scopes, lastFour, lastUsedAt, expiresAt, revokedAt, createdAt } = apiKeys;
const keyFields = { id, name, scopes, lastFour, lastUsedAt, expiresAt, revokedAt, createdAt };

const liveKeyByHash = preparedRead((db) =>
  db
    .select({ keyId: apiKeys.id, userId: apiKeys.userId, plan: users.plan, scopes, expiresAt })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(
      and(
        eq(apiKeys.hash, sql.placeholder('hash')),
        isNull(revokedAt),
        or(isNull(expiresAt), sql`${expiresAt} > now()`),
      ),
    ),
);

export const findLiveKey = async (db: Database, hash: string) => {
  const [key] = await liveKeyByHash(db, { hash });
  return key;
};

/** At minute precision: a busy key costs one write a minute. */
export const touchKey = async (db: Queryable, keyId: string): Promise<void> => {
  const isStale = or(isNull(lastUsedAt), lt(lastUsedAt, sql`now() - interval '1 minute'`));
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(id, keyId), isStale));
};

export type NewKeyRow = {
  id: string;
  userId: string;
  name: string;
  scopes: KeyScope[];
  hash: string;
  lastFour: string;
  expiresAt: Date | null;
};

export const insertKey = async (tx: Transaction, row: NewKeyRow) => {
  const [key] = await tx.insert(apiKeys).values(row).returning(keyFields);
  if (!key) throw new Error('The key could not be stored');
  return key;
};

export const listKeys = async (
  db: Queryable,
  userId: string,
  { page, limit }: { page: number; limit: number },
) => {
  const ofUser = eq(apiKeys.userId, userId);
  const [rows, [counted]] = await Promise.all([
    db
      .select(keyFields)
      .from(apiKeys)
      .where(ofUser)
      .orderBy(desc(createdAt), desc(id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(apiKeys).where(ofUser),
  ]);
  return { rows, total: counted?.total ?? 0 };
};

/** The owner of the key that was revoked; undefined where there was none to revoke. */
export const revokeKey = async (tx: Transaction, keyId: string, ownerId?: string) => {
  const ofOwner = ownerId === undefined ? undefined : eq(apiKeys.userId, ownerId);
  const [revoked] = await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(id, keyId), isNull(revokedAt), ofOwner))
    .returning({ id, userId: apiKeys.userId, hash: apiKeys.hash });
  return revoked;
};

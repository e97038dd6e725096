import type { KeyScope, PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Queryable, Transaction } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { accounts } from '../accounts/table.ts';
import { apiKeys } from './table.ts';

const { id, name, scopes, lastFour, lastUsedAt, expiresAt, revokedAt, createdAt } = apiKeys;
const keyFields = { id, name, scopes, lastFour, lastUsedAt, expiresAt, revokedAt, createdAt };

const liveKeyByHash = preparedRead((db) =>
  db
    .select({ id: apiKeys.id, accountId: apiKeys.accountId, plan: accounts.plan, scopes, expiresAt })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
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

/** Neither revoked nor expired. */
export const countLiveKeys = async (db: Queryable, accountId: string): Promise<number> => {
  const isUnexpired = or(isNull(expiresAt), sql`${expiresAt} > now()`);
  const [counted] = await db
    .select({ total: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isNull(revokedAt), isUnexpired));
  return counted?.total ?? 0;
};

type NewKeyRow = {
  id: string;
  accountId: string;
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

export const listKeys = async (db: Queryable, accountId: string, { page, limit }: PageQuery) => {
  const ofUser = eq(apiKeys.accountId, accountId);
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

/** For the operator, who finds the end of a key in a log or a repository. */
export const findOwnersOfKeysEnding = async (db: Queryable, ending: string): Promise<string[]> => {
  const owners = await db
    .selectDistinct({ accountId: apiKeys.accountId })
    .from(apiKeys)
    .where(eq(lastFour, ending));
  return owners.map(({ accountId }) => accountId);
};

/** Undefined where there is no such key of that owner, or it is revoked already. */
export const revokeOwnKey = (tx: Transaction, keyId: string, ownerId: string) =>
  revoke(tx, and(eq(id, keyId), eq(apiKeys.accountId, ownerId)));

/** For the operator, who may revoke everybody's. */
export const revokeAnyKey = (tx: Transaction, keyId: string) => revoke(tx, eq(id, keyId));

const revoke = async (tx: Transaction, which: SQL | undefined) => {
  const [revoked] = await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(which, isNull(revokedAt)))
    .returning({ id, accountId: apiKeys.accountId, hash: apiKeys.hash, scopes: apiKeys.scopes });
  return revoked;
};

import { randomBytes } from 'node:crypto';
import { accountLimits, type KeyScope, type PageQuery } from '@holdfast/contract';
import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { countRows, listPage } from '../../db/queries/list-page.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { newId } from '../../kernel/ids.ts';
import { type AuditedChange, recordAudit } from '../audit/queries.ts';
import { generateKey } from './rules.ts';
import { apiKeys } from './table.ts';

const { id, name, scopes, lastFour, lastUsedAt, expiresAt, revokedAt, createdAt } = apiKeys;
const keyFields = { id, name, scopes, lastFour, lastUsedAt, expiresAt, revokedAt, createdAt };

export const isLive = and(isNull(revokedAt), or(isNull(expiresAt), sql`${expiresAt} > now()`));

/** By the keys that are neither revoked nor expired; certain only under the account's lock. */
export const hasRoomForKey = async (db: Queryable, accountId: string): Promise<boolean> => {
  const live = await countRows(db, apiKeys, and(eq(apiKeys.accountId, accountId), isLive));
  return live < accountLimits.liveKeys;
};

type NewKey = { name: string; scopes: KeyScope[]; expiresAt: Date | null };

/** Creates a key of an account; the answer holds the key itself, which is stored nowhere. */
export const createApiKey = async (
  tx: Transaction,
  accountId: string,
  actor: AuditedChange['actor'],
  { name, scopes, expiresAt }: NewKey,
) => {
  const key = generateKey(randomBytes);
  const [row] = await tx
    .insert(apiKeys)
    .values({
      ...{ id: newId(), accountId, name, scopes, expiresAt },
      ...{ hash: sha256Hex(key), lastFour: key.slice(-4) },
    })
    .returning(keyFields);
  if (!row) throw new Error('The key could not be stored');
  await recordAudit(tx, {
    accountId,
    actor,
    action: 'key.create',
    subject: { type: 'key', id: row.id },
    changes: { name, scopes, expiresAt },
  });
  return { ...row, key };
};

export const listKeys = (db: Queryable, accountId: string, query: PageQuery) => {
  const ofAccount = eq(apiKeys.accountId, accountId);
  return listPage(
    query,
    db.select(keyFields).from(apiKeys).where(ofAccount).orderBy(desc(createdAt), desc(id)),
    countRows(db, apiKeys, ofAccount),
  );
};

export const findKeyName = async (
  db: Queryable,
  accountId: string,
  keyId: string | null,
): Promise<string | undefined> => {
  if (keyId === null) return undefined;
  const isKey = and(eq(id, keyId), eq(apiKeys.accountId, accountId));
  return (await firstRow(db.select({ name }).from(apiKeys).where(isKey)))?.name;
};

/** For the operator, who found the end of a key in a log or a repository. */
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

/** For the operator, who may revoke any key. */
export const revokeAnyKey = (tx: Transaction, keyId: string) => revoke(tx, eq(id, keyId));

const revoke = (tx: Transaction, which: SQL | undefined) =>
  firstRow(
    tx
      .update(apiKeys)
      .set({ revokedAt: sql`now()` })
      .where(and(which, isNull(revokedAt)))
      .returning({ id, accountId: apiKeys.accountId, hash: apiKeys.hash, scopes: apiKeys.scopes }),
  );

/** Returns the hashes of the deleted keys. */
export const deleteKeysOfAccount = async (tx: Transaction, ownerId: string): Promise<string[]> => {
  const deleted = await tx
    .delete(apiKeys)
    .where(eq(apiKeys.accountId, ownerId))
    .returning({ hash: apiKeys.hash });
  return deleted.map(({ hash }) => hash);
};

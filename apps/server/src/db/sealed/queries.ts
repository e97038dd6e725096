import { count, eq, gt, isNotNull, lt, or, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Queryable } from '../connect.ts';
import { sealKeys } from './table.ts';

/** Sealed rows, and the id of the master key that sealed each: null where nothing is sealed. */
export type SealedRows = { from: PgTable | SQL; keyId: SQL<string | null> };

/**
 * The distinct key ids, from one to the next along the index: there may be millions of rows and few
 * keys, and `select distinct` would read every row.
 */
export const listKeyIds = async (db: Queryable, { from, keyId }: SealedRows): Promise<string[]> => {
  const keyIds: string[] = [];
  for (;;) {
    const [next] = await db
      .select({ keyId })
      .from(from)
      .where(gt(keyId, keyIds.at(-1) ?? ''))
      .orderBy(keyId)
      .limit(1);
    if (!next?.keyId) return keyIds;
    keyIds.push(next.keyId);
  }
};

/**
 * Whether another key seals the row. As two ranges of the index: `<>` would read every row, and mostly there is
 * none to find.
 */
export const isUnderOtherKey = (keyId: SQLWrapper, sealingKeyId: string): SQL | undefined =>
  or(lt(keyId, sealingKeyId), gt(keyId, sealingKeyId));

/** How many rows each key seals. */
export const countByKeyId = async (
  db: Queryable,
  { from, keyId }: SealedRows,
): Promise<{ keyId: string; rows: number }[]> => {
  const counted = await db
    .select({ keyId, rows: count() })
    .from(from)
    .where(isNotNull(keyId))
    .groupBy(keyId);
  return counted.flatMap(({ keyId: id, rows }) => (id ? [{ keyId: id, rows }] : []));
};

export const findSealedCheck = async (
  db: Queryable,
  keyId: string,
): Promise<string | undefined> => {
  const [found] = await db
    .select({ sealedCheck: sealKeys.sealedCheck })
    .from(sealKeys)
    .where(eq(sealKeys.keyId, keyId));
  return found?.sealedCheck;
};

/** The first check that is stored for a key id stays. */
export const storeSealedCheck = async (
  db: Queryable,
  row: { keyId: string; sealedCheck: string },
): Promise<void> => {
  await db.insert(sealKeys).values(row).onConflictDoNothing();
};

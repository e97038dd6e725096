import { and, eq, isNull } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { sealKeyIdOf } from '../../../db/queries/rewrap-column.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import type { SealedRows } from '../../../db/sealed/queries.ts';
import { isDeleted } from '../queries.ts';
import { accounts } from '../table.ts';

/** Sealed; null where the account has none yet. */
export const findHashKey = async (db: Queryable, accountId: string): Promise<string | null> => {
  const [account] = await db
    .select({ hashKey: accounts.hashKey })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return account?.hashKey ?? null;
};

/** False where the account has a key already. */
export const storeFirstHashKey = (db: Queryable, accountId: string, hashKey: string) =>
  hasRows(
    db
      .update(accounts)
      .set({ hashKey })
      .where(and(eq(accounts.id, accountId), isNull(accounts.hashKey)))
      .returning({ id: accounts.id }),
  );

export const sealedHashKeys: SealedRows = { from: accounts, keyId: sealKeyIdOf(accounts.hashKey) };

const storeHashKey = async (tx: Transaction, accountId: string, hashKey: string) => {
  await tx.update(accounts).set({ hashKey }).where(eq(accounts.id, accountId));
};

export const hashKeyColumn = { id: accounts.id, column: accounts.hashKey, store: storeHashKey };

/** Only of a deleted account: without its key, none of its hashes can be computed again. */
export const deleteHashKey = async (tx: Transaction, accountId: string) => {
  await tx
    .update(accounts)
    .set({ hashKey: null })
    .where(and(eq(accounts.id, accountId), isDeleted));
};

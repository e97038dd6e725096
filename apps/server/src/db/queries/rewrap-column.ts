import { and, asc, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { KeyRing, Place, SealBroken } from '../../kernel/seal.ts';
import type { Database, Transaction } from '../connect.ts';
import { isUnderOtherKey } from '../sealed/queries.ts';
import { rewrapRows } from '../sealed/rewrap.ts';

/** The id of the master key under which a column's text is sealed. */
export const sealKeyIdOf = (column: PgColumn): SQL<string | null> =>
  sql`split_part(${column}, '.', 2)`;

type SealedColumn = {
  id: PgColumn;
  column: PgColumn;
  placeOf(id: string): Place;
  store(tx: Transaction, id: string, sealed: string): Promise<void>;
};

/** Rewraps every row of a table that has one sealed column; returns how many. */
export const rewrapColumn = (
  db: Database,
  ring: KeyRing,
  { id, column, placeOf, store }: SealedColumn,
  onBroken: (error: SealBroken) => void,
): Promise<number> =>
  rewrapRows<{ id: string; sealed: string }>(
    db,
    {
      rowsAtATime: 100,
      idOf: (row) => row.id,
      lock: (tx, { after, most }) => {
        const isForeign = isUnderOtherKey(sealKeyIdOf(column), ring.sealingKeyId);
        return tx
          .select({ id: sql<string>`${id}`, sealed: sql<string>`${column}` })
          .from(id.table)
          .where(and(isNotNull(column), isForeign, gt(id, after)))
          .orderBy(asc(id))
          .limit(most)
          .for('no key update');
      },
      async reseal(tx, row) {
        const secret = ring.open(row.sealed, placeOf(row.id));
        await store(tx, row.id, ring.seal(secret, placeOf(row.id)));
      },
    },
    { onBroken },
  );

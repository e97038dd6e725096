import { SealBroken } from '../../kernel/seal.ts';
import type { Database, Transaction } from '../connect.ts';

type SealedRows<Row> = {
  rowsAtATime: number;
  idOf(row: Row): string;
  /** Locks the next rows, by id, that a key other than the present one sealed. */
  lock(tx: Transaction, page: { after: string; most: number }): Promise<Row[]>;
  /** Opens a row and stores it, sealed under the present key. */
  reseal(tx: Transaction, row: Row): Promise<void>;
};

type Run = { onBroken(error: SealBroken): void; signal?: AbortSignal };

const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/** Rewraps every row, one page per transaction; returns how many. Rows that do not open stay as they are. */
export const rewrapRows = async <Row>(
  db: Database,
  rows: SealedRows<Row>,
  { onBroken, signal }: Run,
): Promise<number> => {
  let total = 0;
  for (let after = beforeAllIds; ; ) {
    signal?.throwIfAborted();
    const { last, rewrapped, broken } = await rewrapPage(db, rows, after);
    total += rewrapped;
    broken.forEach(onBroken);
    if (last === undefined) return total;
    after = rows.idOf(last);
  }
};

const rewrapPage = <Row>(
  db: Database,
  { rowsAtATime, lock, reseal }: SealedRows<Row>,
  after: string,
) =>
  db.transaction(async (tx) => {
    const page = await lock(tx, { after, most: rowsAtATime });
    const broken: SealBroken[] = [];
    for (const row of page) {
      try {
        await reseal(tx, row);
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
        broken.push(error);
      }
    }
    return { last: page.at(-1), rewrapped: page.length - broken.length, broken };
  });

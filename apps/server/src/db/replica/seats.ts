import type { SQL, TransactionSQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import { withinDeadline } from '../../kernel/deadline.ts';
import type { Database } from '../connect.ts';

/**
 * A database for one read at a time: its statements go to the transaction that it was given. Kept from read
 * to read, because statements are built once for each database (`prepared.ts`).
 */
export type Seat = { db: Database; use(tx: TransactionSQL | undefined): void };

type Query = ReturnType<SQL['unsafe']>;

/**
 * The statements of a read are given up once they took `answerMs` together; what the handler does between
 * them does not count. There is no transaction inside: such reads are the primary's.
 */
const createSeat = (answerMs: number): Seat => {
  let current: TransactionSQL | undefined;
  let busy = createBusyTime();
  const bounded = <T>(answer: () => PromiseLike<T>): Promise<T> => {
    const ms = answerMs - busy.spentMs();
    const { begin, end } = busy;
    begin();
    return withinDeadline({ ms, lastMs: ms }, async () => answer()).finally(end);
  };
  const client = {
    unsafe(...args: Parameters<SQL['unsafe']>) {
      if (!current) throw new Error('The read on the standby was given up');
      const query = current.unsafe(...args);
      return {
        // biome-ignore lint/suspicious/noThenProperty: a query is sent when it is awaited, not before
        then: (...handlers: Parameters<Query['then']>) => bounded(() => query).then(...handlers),
        values: () => bounded(() => query.values()),
      };
    },
  };
  return {
    // The part of a client by which drizzle and prepared reads send statements.
    db: drizzle({ casing: 'snake_case', client: client as unknown as SQL }),
    use(tx) {
      current = tx;
      busy = createBusyTime();
    },
  };
};

/** How long at least one statement was under way. */
const createBusyTime = () => {
  let [spent, underWay, since] = [0, 0, 0];
  const spentMs = () => spent + (underWay > 0 ? performance.now() - since : 0);
  return {
    spentMs,
    begin() {
      if (underWay++ === 0) since = performance.now();
    },
    end() {
      if (underWay === 1) spent = spentMs();
      underWay--;
    },
  };
};

export const createSeats = (size: number, answerMs: number) => {
  const free: Seat[] = [];
  let used = 0;
  return {
    used: () => used,
    isFull: () => used >= size,
    async take(work: (seat: Seat) => Promise<unknown>): Promise<void> {
      const seat = free.pop() ?? createSeat(answerMs);
      used++;
      try {
        await work(seat);
        // Not after a failure: what was given up may still send a statement.
        free.push(seat);
      } finally {
        seat.use(undefined);
        used--;
      }
    },
  };
};

import { SQL } from 'bun';
import { type BunSQLDatabase, drizzle } from 'drizzle-orm/bun-sql';

export type Database = BunSQLDatabase & { $client: SQL };
export type Transaction = Parameters<Parameters<BunSQLDatabase['transaction']>[0]>[0];
/** What a query needs: it does not care whether it runs alone or inside a transaction. */
export type Queryable = BunSQLDatabase | Transaction;

const poolSize = 12;
const statementTimeoutMs = 4000;
const connectTimeoutSeconds = 3;

type Options = { name: string; poolSize?: number; statementTimeoutMs?: number };

/** A pool of connections; one that breaks is replaced at its next use. */
export const connectDatabase = (url: string, options: Options): Database => {
  const client = new SQL({
    url,
    max: options.poolSize ?? poolSize,
    connectionTimeout: connectTimeoutSeconds,
    connection: {
      application_name: options.name,
      statement_timeout: options.statementTimeoutMs ?? statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
    },
  });
  const db = drizzle({ casing: 'snake_case', client });
  const transact = db.transaction.bind(db);
  return Object.assign(db, {
    async transaction<Result>(work: (tx: Transaction) => Promise<Result>, config?: object) {
      const effects: Effect[] = [];
      const result = await transact((tx) => {
        effectsOf.set(tx, effects);
        return work(tx);
      }, config);
      for (const effect of effects) effect();
      return result;
    },
  });
};

type Effect = () => void;
const effectsOf = new WeakMap<Transaction, Effect[]>();

/** Done as soon as others can see what the transaction changed, and never if it is rolled back. */
export const afterCommit = (tx: Transaction, effect: Effect): void => {
  effectsOf.get(tx)?.push(effect);
};

export const closeDatabase = async (db: Database): Promise<void> => {
  await db.$client.close({ timeout: 5 });
};

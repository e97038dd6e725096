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
export const connectDatabase = (url: string, options: Options): Database =>
  drizzle({
    casing: 'snake_case',
    client: new SQL({
      url,
      max: options.poolSize ?? poolSize,
      connectionTimeout: connectTimeoutSeconds,
      connection: {
        application_name: options.name,
        statement_timeout: options.statementTimeoutMs ?? statementTimeoutMs,
        idle_in_transaction_session_timeout: 60_000,
      },
    }),
  });

export const closeDatabase = async (db: Database): Promise<void> => {
  await db.$client.close({ timeout: 5 });
};

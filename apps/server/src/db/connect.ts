import { SQL } from 'bun';
import { type BunSQLDatabase, drizzle } from 'drizzle-orm/bun-sql';
import { newId } from '../kernel/ids.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { isLostToAnother } from './failures.ts';
import { judgeByWork, type Looks, patientPoolTimes } from './patient-pool.ts';
import { createPool, type PoolTimes, refuseUnless, usualPoolTimes } from './pool.ts';

export type Database = BunSQLDatabase & { $client: SQL };
export type Transaction = Parameters<Parameters<BunSQLDatabase['transaction']>[0]>[0];
/** What a query needs: it does not care whether it runs alone or inside a transaction. */
export type Queryable = BunSQLDatabase | Transaction;

export const usualPoolSize = 12;
const statementTimeoutMs = 4000;
const connectTimeoutSeconds = 3;
/** An answer that is so much later than the statement's time-out does not come any more. */
const silenceMs = 2000;

type Options = {
  name: string;
  poolSize?: number;
  /** After so long without a statement a connection is closed; without it, never. */
  idleSeconds?: number;
  /** 0: for ever, as long as PostgreSQL is seen to work on it. */
  statementTimeoutMs?: number;
  times?: Partial<PoolTimes>;
  /** Where there is no time-out: how often PostgreSQL is looked at before a connection counts as lost. */
  looks?: Looks;
  /** Told when connections that fell silent were replaced. */
  onReplaced?(): void;
};

/**
 * A pool of connections; those that break or fall silent are replaced. A transaction that PostgreSQL
 * ends in favour of another is run again: whatever it does besides SQL must bear that.
 */
export const connectDatabase = (url: string, options: Options): Database => {
  const { bun } = parseDatabaseUrl(url);
  const timeoutMs = options.statementTimeoutMs ?? statementTimeoutMs;
  const isPatient = timeoutMs === 0;
  // Found again among all sessions by its name, where it has to be looked at from outside.
  const name = isPatient ? `${options.name} ${newId()}` : options.name;
  const open = () =>
    new SQL({
      ...bun,
      max: options.poolSize ?? usualPoolSize,
      idleTimeout: options.idleSeconds ?? 0,
      connectionTimeout: connectTimeoutSeconds,
      connection: {
        application_name: name,
        statement_timeout: timeoutMs,
        idle_in_transaction_session_timeout: 60_000,
        // One request takes one core of the database at most, however much it reads.
        max_parallel_workers_per_gather: 0,
      },
    });
  const usual = { ...usualPoolTimes, silentAfterMs: timeoutMs + silenceMs };
  const client = createPool({
    open,
    times: { ...(isPatient ? patientPoolTimes : usual), ...options.times },
    onReplaced: options.onReplaced ?? (() => undefined),
    ...(isPatient && { isLost: judgeByWork(name, options.looks) }),
  });
  return databaseOver(client);
};

/** For requests: while the database is known not to answer, they are refused at once. */
export const forRequests = (db: Database, isReachable: () => boolean): Database =>
  databaseOver(refuseUnless(isReachable, db.$client));

const databaseOver = (client: SQL): Database => {
  const db = drizzle({ casing: 'snake_case', client });
  const transact = db.transaction.bind(db);
  return Object.assign(db, {
    async transaction<Result>(work: (tx: Transaction) => Promise<Result>, config?: object) {
      let effects: Effect[] = [];
      const result = await runUntilKept(() =>
        transact((tx) => {
          effects = [];
          effectsOf.set(tx, effects);
          return work(tx);
        }, config),
      );
      for (const effect of effects) effect();
      return result;
    },
  });
};

/** Longer than any two should meet again and again, and well within a request's time. */
const retryForMs = 2500;
const longestPauseMs = 60;

/** Pauses of random length, so that the same two do not meet at the same place again. */
const runUntilKept = async <Result>(transact: () => Promise<Result>): Promise<Result> => {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await transact();
    } catch (error) {
      if (!isLostToAnother(error) || performance.now() - startedAt > retryForMs) throw error;
    }
    await Bun.sleep(Math.random() * longestPauseMs);
  }
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

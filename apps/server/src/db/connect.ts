/**
 * The database layer. This file opens connections and defines the types that queries take; `pool/`
 * replaces connections that no longer answer; `primary/` finds which of several hosts takes writes;
 * `health.ts` notices an outage; `migrate.ts` brings the
 * schema up to date; `prepared.ts` speeds up hot statements; `failures.ts` classifies errors. `notify/`
 * tells other processes what was committed. `sealed/` finds and rewraps encrypted rows, `embedded/` runs
 * PostgreSQL as a child process where no DATABASE_URL is set.
 */
import { type ChangeTopic, type ServerTopic, serverTopics } from '@holdfast/contract';
import { SQL } from 'bun';
import { type BunSQLDatabase, drizzle } from 'drizzle-orm/bun-sql';
import { newId } from '../kernel/ids.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { isTransactionConflict } from './failures.ts';
import type { Change } from './notify/change.ts';
import {
  type ActivityChecks,
  isLostByActivity,
  unboundedPoolTimes,
} from './pool/lost-by-activity.ts';
import {
  createPool,
  defaultPoolTimes,
  failFastUnless,
  type PoolTimes,
  type ReplaceReason,
} from './pool/pool.ts';
import { primaryOf } from './primary/primary.ts';

export type Database = BunSQLDatabase & { $client: SQL };
export type Transaction = Parameters<Parameters<BunSQLDatabase['transaction']>[0]>[0];
/** For a query that runs alone or inside a transaction. */
export type Queryable = BunSQLDatabase | Transaction;

export const defaultPoolSize = 12;
const statementTimeoutMs = 4000;
/** Short, because a request waits for it; the database's URL may say otherwise. */
const connectTimeoutSeconds = 3;
/** For a process that starts or migrates: a database that was just made, or is busy, may answer late. */
export const patientConnectSeconds = 15;
/** An answer that is so much later than the statement's time-out will not arrive any more. */
const silenceMs = 2000;

type Options = {
  name: string;
  poolSize?: number;
  /** Waits for a connection at least so long. */
  leastConnectSeconds?: number;
  /** Closes a connection after so long without a statement; by default never. */
  idleSeconds?: number;
  /** 0: no time-out, as long as PostgreSQL is active on the statement. */
  statementTimeoutMs?: number;
  times?: Partial<PoolTimes>;
  /** Where there is no time-out: how many checks it takes until a connection counts as lost. */
  activityChecks?: ActivityChecks;
  /** Called when connections that no longer answer, or lead to a host that is no longer the primary, were replaced. */
  onReplaced?(reason: ReplaceReason): void;
  /** Called with what was marked by `markChanged`, once it is committed. */
  onChanged?(change: Change): void;
};

/**
 * A pool of connections; those that break or no longer answer are replaced. A transaction that PostgreSQL
 * aborts in favour of another (deadlock, serialization failure) is run again, so its function must be
 * safe to repeat.
 */
export const connectDatabase = (url: string, options: Options): Database => {
  const address = parseDatabaseUrl(url);
  const { isTransactionPooled, connectSeconds = connectTimeoutSeconds } = address;
  const primary = primaryOf(url);
  const timeoutMs = options.statementTimeoutMs ?? statementTimeoutMs;
  const isUnbounded = timeoutMs === 0;
  const size = options.poolSize ?? defaultPoolSize;
  // A unique name, by which `isLostByActivity` finds its sessions in PostgreSQL's list.
  const name = isUnbounded ? `${options.name} ${newId()}` : options.name;
  const open = () =>
    new SQL({
      ...primary.current().bun,
      max: size,
      idleTimeout: options.idleSeconds ?? 0,
      connectionTimeout: Math.max(connectSeconds, options.leastConnectSeconds ?? 0),
      // A named statement would be prepared on one server connection and executed on another.
      prepare: !isTransactionPooled,
      connection: { application_name: name, ...(!isTransactionPooled && limitsOf(timeoutMs)) },
    });
  const bounded = { ...defaultPoolTimes, silentAfterMs: timeoutMs + silenceMs };
  const client = createPool({
    ...{ name: options.name, size, open },
    times: { ...(isUnbounded ? unboundedPoolTimes : bounded), ...options.times },
    onReplaced: options.onReplaced ?? (() => undefined),
    onFailure: primary.noteFailure,
    follow: primary.follow,
    ...(isUnbounded && { isLost: isLostByActivity(name, options.activityChecks) }),
  });
  return databaseOver(client, options.onChanged);
};

/** In transaction mode they come from the role: see `require-session.ts`. */
const limitsOf = (timeoutMs: number) => ({
  statement_timeout: timeoutMs,
  idle_in_transaction_session_timeout: 60_000,
  // One request uses at most one core of the database, however much it reads.
  max_parallel_workers_per_gather: 0,
});

/** For requests: while the database is known not to answer, statements fail at once. */
export const forRequests = (db: Database, isReachable: () => boolean): Database =>
  databaseOver(failFastUnless(isReachable, db.$client), changeSinks.get(db));

const databaseOver = (client: SQL, onChanged: ChangeSink = () => undefined): Database => {
  const db = drizzle({ casing: 'snake_case', client });
  const transact = db.transaction.bind(db);
  const database = Object.assign(db, {
    async transaction<Result>(work: (tx: Transaction) => Promise<Result>, config?: object) {
      let effects: Effect[] = [];
      const result = await retryConflicts(() =>
        transact((tx) => {
          effects = [];
          effectsOf.set(tx, effects);
          changeSinks.set(tx, (change) => afterCommit(tx, () => onChanged(change)));
          return work(tx);
        }, config),
      );
      for (const effect of effects) effect();
      return result;
    },
  });
  changeSinks.set(database, onChanged);
  return database;
};

/** Long enough for conflicts to resolve, and well within a request's time. */
const retryForMs = 2500;
const longestPauseMs = 60;

/** Pauses of random length, so that the same two transactions do not conflict again. */
const retryConflicts = async <Result>(transact: () => Promise<Result>): Promise<Result> => {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await transact();
    } catch (error) {
      if (!isTransactionConflict(error) || performance.now() - startedAt > retryForMs) throw error;
    }
    await Bun.sleep(Math.random() * longestPauseMs);
  }
};

type Effect = () => void;
const effectsOf = new WeakMap<Transaction, Effect[]>();

/** Runs `effect` after the commit, when others can see the changes; never after a rollback. */
export const afterCommit = (tx: Transaction, effect: Effect): void => {
  effectsOf.get(tx)?.push(effect);
};

type ChangeSink = (change: Change) => void;
const changeSinks = new WeakMap<Queryable, ChangeSink>();

/**
 * Marks what pages of the account show as changed, so that those that are open read it again: after the
 * commit in a transaction, otherwise at once, so call it after the statement. With a server, only what
 * is shown of that one, where the topic belongs to a server at all.
 */
export const markChanged = (
  db: Queryable,
  { accountId, serverId }: { accountId: string; serverId?: string | null | undefined },
  ...topics: ChangeTopic[]
): void => {
  const sink = changeSinks.get(db);
  for (const topic of topics) {
    // The server of an order is its buyer's: the seller is not told its id.
    const sent = serverId && belongsToServer(topic) ? (`${topic}:${serverId}` as const) : topic;
    sink?.({ accountId, topic: sent });
  }
};

const belongsToServer = (topic: ChangeTopic): topic is ServerTopic =>
  serverTopics.some((name) => name === topic);

export const closeDatabase = async (db: Database): Promise<void> => {
  await db.$client.close({ timeout: 5 });
};

import type { SQL, TransactionSQL } from 'bun';
import { succeedsWithin } from '../../kernel/deadline.ts';
import { DatabaseUnreachable } from '../failures.ts';
import { ask } from './queries.ts';
import { startStatement } from './trace-statement.ts';
import { trackPool } from './usage.ts';

export type PoolTimes = {
  /** A statement without an answer for so long counts as late: its connection may be lost. */
  silentAfterMs: number;
  checkEveryMs: number;
  /** How long a fresh connection may take to answer before it counts as no better. */
  freshAnswerMs: number;
  /** How long replaced connections may take to finish the statements that still progress. */
  closeSeconds: number;
};

export const defaultPoolTimes = {
  checkEveryMs: 1000,
  freshAnswerMs: 3000,
  closeSeconds: 5,
};

/** Why connections were replaced: they did not answer, or the database is on another host now. */
export type ReplaceReason = 'silent' | 'moved';

const movedCloseSeconds = 1;

type Options = {
  name: string;
  size: number;
  open(): SQL;
  times: PoolTimes;
  onReplaced(reason: ReplaceReason): void;
  /** Called with every failure of a statement. */
  onFailure(error: unknown): void;
  /** Has `replace` called when the database is on another host, until the returned function is called. */
  follow(replace: () => void): () => void;
  /** Decides, over a fresh connection, whether the one that a late statement waits on is lost. */
  isLost?: IsLost;
};

export type IsLost = (fresh: SQL, wait: object) => Promise<boolean>;

type Wait = { since: number; isLate: boolean };
/** One set of connections, and its unanswered statements in the order in which they were sent. */
type Generation = {
  sql: SQL;
  waits: Set<Wait>;
  load: Load;
  onFailure(error: unknown): unknown;
};
/** Of all generations together: statements outside of transactions, and transactions. */
type Load = { wanted: number };

/**
 * A pool that replaces connections which no longer answer although they were never reset, as after a
 * firewall dropped their state. The server ends every statement after its time-out, so a statement older
 * than that has lost its connection. The driver cannot discard a single connection, so the whole
 * generation is replaced. Its states:
 *
 *   current      new statements go here. Every `checkEveryMs` the oldest unanswered one is looked at.
 *   late         it is older than `silentAfterMs` in two checks in a row: one more connection is opened
 *                and `isLost` asked about it (by default: does the fresh connection answer?).
 *     not lost   the server itself does not answer, or still works: the fresh connection is closed, and
 *                the next check starts over. Statements go on waiting.
 *     lost       the fresh client becomes the current generation. The old one is closed once its other
 *                statements are answered, at most `closeSeconds` later; the lost ones then fail.
 *
 * It is replaced as a whole, too, when `follow` says that the database is on another host.
 *
 * Example: with a statement time-out of 4 s and `silentAfterMs` 6 s, a statement sent at 0 s into a dead
 * connection is seen late at 6 s and at 7 s; a fresh connection answers at once; statements sent from
 * then on are answered, and the lost one fails at 12 s.
 */
export const createPool = ({
  name,
  size,
  open,
  times,
  onReplaced,
  onFailure,
  follow,
  isLost = (fresh) => succeedsWithin(times.freshAnswerMs, ask(fresh)),
}: Options): SQL => {
  const load = { wanted: 0 };
  const untrack = trackPool(() => ({ name, size, wanted: load.wanted }));
  const generationOf = (sql: SQL): Generation => {
    const generation: Generation = {
      ...{ sql, waits: new Set(), load },
      // Failures of connections that were replaced tell nothing about those that took their place.
      onFailure: (error) => generation === current && onFailure(error),
    };
    return generation;
  };
  let current = generationOf(open());
  let isReplacing = false;
  let isClosed = false;

  const replaceBy = (fresh: SQL, reason: ReplaceReason, closeSeconds: number) => {
    const lost = current;
    current = generationOf(fresh);
    onReplaced(reason);
    closeWithin(lost.sql, closeSeconds);
  };
  // What still waits there waits for a server that is gone, or that must not be believed any more.
  const unfollow = follow(() => replaceBy(open(), 'moved', movedCloseSeconds));

  const replaceIfSilent = async (): Promise<void> => {
    const late = findLate(current, times.silentAfterMs);
    if (isReplacing || !late) return;
    isReplacing = true;
    const fresh = open();
    const suspected = current;
    // Meanwhile it may have been replaced for the other reason.
    if ((await isLost(fresh, late)) && !isClosed && current === suspected) {
      replaceBy(fresh, 'silent', times.closeSeconds);
    } else {
      closeWithin(fresh, 0);
    }
    isReplacing = false;
  };
  const checking = setInterval(replaceIfSilent, times.checkEveryMs);
  checking.unref();

  return substitute(() => current.sql, {
    unsafe: (...args: Parameters<SQL['unsafe']>) =>
      watchQuery(current, args[0], current.sql.unsafe(...args), load),
    begin: (work: Work) => watchTransaction(current, work),
    close({ timeout = times.closeSeconds }: { timeout?: number } = {}) {
      isClosed = true;
      unfollow();
      clearInterval(checking);
      untrack();
      return closeWithin(current.sql, timeout);
    },
  });
};

/** The same pool, but during an outage a statement fails at once instead of waiting for its end. */
export const failFastUnless = (isReachable: () => boolean, pool: SQL): SQL => {
  const requireReachable = () => {
    if (!isReachable()) throw new DatabaseUnreachable();
  };
  return substitute(() => pool, {
    unsafe(...args: Parameters<SQL['unsafe']>) {
      requireReachable();
      return pool.unsafe(...args);
    },
    async begin(work: Work) {
      requireReachable();
      return pool.begin(work);
    },
  });
};

/** Late in two checks: a process that was itself suspended first gets time to read the answers. */
const findLate = ({ waits }: Generation, silentAfterMs: number): Wait | undefined => {
  const [oldest] = waits;
  if (!oldest || performance.now() - oldest.since < silentAfterMs) return undefined;
  const wasLate = oldest.isLate;
  oldest.isLate = true;
  return wasLate ? oldest : undefined;
};

/** Bounded here too: closing must not depend on how the driver treats a dead connection. */
const closeWithin = async (sql: SQL, seconds: number): Promise<void> => {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000 + 100);
  await Promise.race([sql.close({ timeout: seconds }).catch(() => undefined), isLate]);
  // A timer that is left would keep the process of a command alive.
  clearTimeout(timer);
};

const startWait = ({ waits }: Generation, statement: string, load?: Load) => {
  const wait = { since: performance.now(), isLate: false };
  const endSpan = startStatement(statement);
  waits.add(wait);
  if (load) load.wanted += 1;
  return (error?: unknown) => {
    endSpan?.(error);
    waits.delete(wait);
    if (load) load.wanted -= 1;
  };
};

const watch = <T>(
  generation: Generation,
  statement: string,
  answer: Promise<T>,
  load?: Load,
): Promise<T> => {
  const ended = startWait(generation, statement, load);
  return answer.then(
    (value) => {
      ended();
      return value;
    },
    (error: unknown) => {
      ended(error);
      generation.onFailure(error);
      throw error;
    },
  );
};

type Query = ReturnType<SQL['unsafe']>;
type Work = (tx: TransactionSQL) => Promise<unknown>;

/** The part of a query that drizzle and we use: it is awaited, as objects or as rows of values. */
const watchQuery = (generation: Generation, statement: string, query: Query, load?: Load) => ({
  // biome-ignore lint/suspicious/noThenProperty: a query is sent when it is awaited, not before
  then: (...handlers: Parameters<Query['then']>) =>
    watch(generation, statement, query, load).then(...handlers),
  values: () => watch(generation, statement, query.values(), load),
});

/** The driver's own BEGIN and COMMIT are watched like statements. */
const watchTransaction = (generation: Generation, work: Work) => {
  const { load } = generation;
  const begun = startWait(generation, 'begin');
  let ended = begun;
  load.wanted += 1;
  return generation.sql
    .begin(async (tx) => {
      begun();
      let last = 'rollback';
      try {
        const result = await work(watchClient(generation, tx));
        last = 'commit';
        return result;
      } finally {
        ended = startWait(generation, last);
      }
    })
    .catch((error: unknown) => {
      generation.onFailure(error);
      throw error;
    })
    .finally(() => {
      begun();
      ended();
      load.wanted -= 1;
    });
};

const watchClient = (generation: Generation, tx: TransactionSQL): TransactionSQL =>
  substitute(() => tx, {
    unsafe: (...args: Parameters<SQL['unsafe']>) =>
      watchQuery(generation, args[0], tx.unsafe(...args)),
    savepoint: (work: Work) => tx.savepoint((inner) => work(watchClient(generation, inner))),
  });

/** The client with some of its functions replaced. */
const substitute = <Client extends SQL>(client: () => Client, own: object): Client =>
  // The target is a function so that the client can be called as a template tag; nothing else of it
  // is visible.
  new Proxy(client as unknown as Client, {
    apply: (_, __, args) => Reflect.apply(client(), undefined, args),
    get(_, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value = Reflect.get(client(), name);
      return typeof value === 'function' ? value.bind(client()) : value;
    },
    has: (_, name) => name in client(),
  });

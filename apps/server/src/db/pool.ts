import type { SQL, TransactionSQL } from 'bun';
import { DatabaseUnreachable } from './failures.ts';
import { askAnything } from './queries.ts';

export type PoolTimes = {
  /** A statement without an answer for so long was sent over a connection that is lost. */
  silentAfterMs: number;
  lookEveryMs: number;
  /** How long a fresh connection may take to answer before it counts as no better. */
  freshAnswerMs: number;
  /** What the replaced connections get to finish statements that do move on. */
  closeSeconds: number;
};

export const usualPoolTimes = {
  lookEveryMs: 1000,
  freshAnswerMs: 3000,
  closeSeconds: 5,
};

type Options = {
  open(): SQL;
  times: PoolTimes;
  onReplaced(): void;
  /** Asked over a fresh connection whether the one that is waited on is lost. */
  isLost?: IsLost;
};

export type IsLost = (fresh: SQL, wait: object) => Promise<boolean>;

type Wait = { since: number; isLate: boolean };
/** The statements that were sent and not answered yet, in the order in which they were sent. */
type Generation = { sql: SQL; waits: Set<Wait> };

/**
 * A pool that replaces connections which fell silent: no answer, and no reset that would tell. The
 * server ends every statement after its time-out, so a statement that is older than that has lost its
 * connection. The driver cannot discard a single connection; so all are replaced by a new generation,
 * once a fresh connection answers, and the old ones are closed when their other statements are through.
 * While the server itself does not answer, everything stays as it is. Where statements have no time-out,
 * `isLost` decides instead.
 */
export const createPool = ({
  open,
  times,
  onReplaced,
  isLost = (fresh) => answersWithin(times.freshAnswerMs, askAnything(fresh)),
}: Options): SQL => {
  let current: Generation = { sql: open(), waits: new Set() };
  let isReplacing = false;
  let isClosed = false;

  const replaceIfSilent = async (): Promise<void> => {
    const late = findLate(current, times.silentAfterMs);
    if (isReplacing || !late) return;
    isReplacing = true;
    const fresh = open();
    if ((await isLost(fresh, late)) && !isClosed) {
      const lost = current;
      current = { sql: fresh, waits: new Set() };
      onReplaced();
      closeWithin(lost.sql, times.closeSeconds);
    } else {
      closeWithin(fresh, 0);
    }
    isReplacing = false;
  };
  const looking = setInterval(replaceIfSilent, times.lookEveryMs);
  looking.unref();

  return substitute(() => current.sql, {
    unsafe: (...args: Parameters<SQL['unsafe']>) =>
      watchQuery(current, current.sql.unsafe(...args)),
    begin: (work: Work) => watchTransaction(current, work),
    close({ timeout = times.closeSeconds }: { timeout?: number } = {}) {
      isClosed = true;
      clearInterval(looking);
      return closeWithin(current.sql, timeout);
    },
  });
};

/** The same pool, but for whoever would rather be refused at once than wait for an outage to end. */
export const refuseUnless = (isReachable: () => boolean, pool: SQL): SQL => {
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

/** Seen late twice, so that a process which was itself held up has had time to read the answers. */
const findLate = ({ waits }: Generation, silentAfterMs: number): Wait | undefined => {
  const [oldest] = waits;
  if (!oldest || performance.now() - oldest.since < silentAfterMs) return undefined;
  const wasLate = oldest.isLate;
  oldest.isLate = true;
  return wasLate ? oldest : undefined;
};

const answersWithin = (ms: number, answer: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    answer.then(
      () => true,
      () => false,
    ),
    Bun.sleep(ms).then(() => false),
  ]);

/** Bounded here as well, so that a stop never depends on how the driver treats a silent connection. */
const closeWithin = async (sql: SQL, seconds: number): Promise<void> => {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000 + 100);
  await Promise.race([sql.close({ timeout: seconds }).catch(() => undefined), isLate]);
  // A timer that is left would keep a command from ending.
  clearTimeout(timer);
};

const startWait = ({ waits }: Generation) => {
  const wait = { since: performance.now(), isLate: false };
  waits.add(wait);
  return () => {
    waits.delete(wait);
  };
};

const watch = <T>(generation: Generation, answer: Promise<T>): Promise<T> =>
  answer.finally(startWait(generation));

type Query = ReturnType<SQL['unsafe']>;
type Work = (tx: TransactionSQL) => Promise<unknown>;

/** What drizzle and we ask of a query: to be awaited, as objects or as rows of values. */
const watchQuery = (generation: Generation, query: Query) => ({
  // biome-ignore lint/suspicious/noThenProperty: a query is sent when it is awaited, not before
  then: (...handlers: Parameters<Query['then']>) => watch(generation, query).then(...handlers),
  values: () => watch(generation, query.values()),
});

/** The driver's own BEGIN and COMMIT are statements, too. */
const watchTransaction = (generation: Generation, work: Work) => {
  const begun = startWait(generation);
  let ended = begun;
  return generation.sql
    .begin(async (tx) => {
      begun();
      try {
        return await work(watchClient(generation, tx));
      } finally {
        ended = startWait(generation);
      }
    })
    .finally(() => {
      begun();
      ended();
    });
};

const watchClient = (generation: Generation, tx: TransactionSQL): TransactionSQL =>
  substitute(() => tx, {
    unsafe: (...args: Parameters<SQL['unsafe']>) => watchQuery(generation, tx.unsafe(...args)),
    savepoint: (work: Work) => tx.savepoint((inner) => work(watchClient(generation, inner))),
  });

/** The client with some of its functions replaced; it stays what it is in all else. */
const substitute = <Client extends SQL>(client: () => Client, own: object): Client =>
  // The target is a function, so that the client can be called as a template tag; nothing else of the
  // target is seen.
  new Proxy(client as unknown as Client, {
    apply: (_, __, args) => Reflect.apply(client(), undefined, args),
    get(_, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value = Reflect.get(client(), name);
      return typeof value === 'function' ? value.bind(client()) : value;
    },
    has: (_, name) => name in client(),
  });

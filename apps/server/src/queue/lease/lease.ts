import type { Database, Transaction } from '../../db/connect.ts';
import { guardSignal } from '../../kernel/deadline.ts';
import type { Log } from '../../kernel/log.ts';
import { lockLease, renewLease } from '../queries.ts';

/**
 * A lease gives one worker the right to run one long job (its subject, such as `restore:<id>`).
 *
 *   acquired   `acquireLease` writes the row with a new fence number and the time of its end.
 *   held       renewed every `renewMs`. Each renewal that succeeds restarts the worker's own stopwatch.
 *   lost       by one of: the stopwatch reaches `leaseMs - marginMs` (the database was unreachable, or
 *              this process was suspended); a renewal finds another fence; `transaction` does. The
 *              signal is aborted, and no write under this lease commits any more. A lost lease is never
 *              held again.
 *   released   `stopRenewing`, then the row is deleted or left to another worker (`leased-run.ts`).
 *
 * The worker gives up `marginMs` before the database does, so two workers never both believe to hold it.
 * Should a suspended worker wake up late all the same, its writes fail at the fence: whatever the job
 * writes goes through `transaction`, which first locks the row of exactly this fence until the commit.
 *
 *     await lease.transaction(db, (tx) => storeProgress(tx, …));
 */
export type Lease = {
  /** Grows with every takeover. */
  readonly fence: number;
  /** By the clocks of this process, without asking the database. */
  isHeld(): boolean;
  /** For everything that writes: commits under this lease, or throws LeaseLost before `work` begins. */
  transaction<Result>(db: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result>;
};

/** What a run of a leased job stops by, and what it writes under. */
export type LeasedRun = { signal: AbortSignal; lease: Lease };

export class LeaseLost extends Error {
  constructor(subject: string) {
    super(`The lease of ${subject} is over`);
    this.name = 'LeaseLost';
  }
}

export type LeaseTimes = typeof defaultLeaseTimes;

export const defaultLeaseTimes = {
  leaseMs: 20_000,
  renewMs: 5_000,
  /** The holder gives the lease up so much earlier than the database does. */
  marginMs: 3_000,
  /** How long a job waits before it tries again to get a lease that another worker holds. */
  retryHeldSeconds: 5,
  /** How long a run goes on while others wait for its runner. */
  givesWayAfterMs: 20_000,
};

export type HeldLease = Lease & {
  subject: string;
  /** Aborted when the lease is lost, and for the other reasons to stop that were given. */
  signal: AbortSignal;
  stopRenewing(): void;
};

type AcquiredLease = { subject: string; fence: number; age: Stopwatch };

/** Renews a lease that was just acquired, until `stopRenewing` or its loss. */
export const keepLease = (
  { db, log, times }: { db: Database; log: Log; times: LeaseTimes },
  { subject, fence, age: firstAge }: AcquiredLease,
  stopSignals: AbortSignal[],
): HeldLease => {
  let age = firstAge;
  let isLost = false;
  const loss = new AbortController();
  const signal = AbortSignal.any([...stopSignals, loss.signal]);
  const lose = () => {
    isLost = true;
    loss.abort(new LeaseLost(subject));
  };
  const isHeld = () => {
    if (!isLost && age() >= times.leaseMs - times.marginMs) lose();
    return !isLost;
  };
  const requireHeld = async (tx: Transaction) => {
    if (isHeld() && (await lockLease(tx, { subject, fence }, times.leaseMs / 2))) return;
    lose();
    throw new LeaseLost(subject);
  };
  const renew = async () => {
    // A run that ignores its signal must not keep other workers from the job for ever.
    if (!isHeld() || signal.aborted) return;
    // Started before the statement: the database counts from a later moment, so this is the earlier end.
    const renewedAge = startStopwatch();
    if (await renewLease(db, { subject, fence }, times.leaseMs)) age = renewedAge;
    else lose();
    isHeld();
  };
  const renewing = setInterval(() => {
    renew().catch((err) => log.warn({ err, subject }, 'a lease could not be renewed'));
  }, times.renewMs);
  const watching = setInterval(isHeld, times.marginMs / 2);

  return {
    subject,
    fence,
    signal: guardSignal(signal, isHeld),
    isHeld,
    transaction: (database, work) =>
      database.transaction(async (tx) => {
        await requireHeld(tx);
        return work(tx);
      }),
    stopRenewing() {
      clearInterval(renewing);
      clearInterval(watching);
    },
  };
};

type Stopwatch = () => number;

/**
 * The longer of two measurements: the monotonic clock stands still while the machine sleeps, and the
 * time of day can be set back.
 */
export const startStopwatch = (): Stopwatch => {
  const steady = performance.now();
  const wall = Date.now();
  return () => Math.max(performance.now() - steady, Date.now() - wall);
};

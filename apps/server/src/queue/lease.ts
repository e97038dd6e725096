import type { Database, Transaction } from '../db/connect.ts';
import { guardSignal } from '../kernel/guarded-signal.ts';
import type { Log } from '../kernel/log.ts';
import { lockLease, renewLease } from './queries.ts';

/** What a run under a lease can ask. */
export type Lease = {
  /** Another at every take-over. */
  readonly fence: number;
  /** By this process's own clocks, and a little early: without asking the database. */
  isHeld(): boolean;
  /** First in every transaction that writes: it commits as the holder's, or it throws LeaseLost. */
  requireHeld(tx: Transaction): Promise<void>;
};

export class LeaseLost extends Error {
  constructor(subject: string) {
    super(`The lease of ${subject} is over`);
    this.name = 'LeaseLost';
  }
}

export type LeaseTimes = typeof usualLeaseTimes;

export const usualLeaseTimes = {
  leaseMs: 20_000,
  renewMs: 5_000,
  /** So much earlier than the database does the holder itself take the lease for over. */
  marginMs: 3_000,
  /** How often a worker looks for leases that ran out. */
  sweepMs: 5_000,
  /** How long a second copy waits before it tries again. */
  secondCopySeconds: 5,
};

export type HeldLease = Lease & {
  subject: string;
  /** Aborted when the lease is lost, and when the run shall stop for another reason. */
  signal: AbortSignal;
  /** Ends the renewals. */
  letGo(): void;
};

type Held = { subject: string; fence: number; age: Stopwatch };

/** Keeps a lease that was just taken, until it is let go or lost. */
export const keepLease = (
  { db, log, times }: { db: Database; log: Log; times: LeaseTimes },
  { subject, fence, age: firstAge }: Held,
  reasonsToStop: AbortSignal[],
): HeldLease => {
  let age = firstAge;
  let isLost = false;
  const loss = new AbortController();
  const signal = AbortSignal.any([...reasonsToStop, loss.signal]);
  const lose = () => {
    isLost = true;
    loss.abort(new LeaseLost(subject));
  };
  const isHeld = () => {
    if (!isLost && age() >= times.leaseMs - times.marginMs) lose();
    return !isLost;
  };
  const renew = async () => {
    // A run that does not heed its signal shall not keep others from the work for ever.
    if (!isHeld() || signal.aborted) return;
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
    async requireHeld(tx) {
      if (isHeld() && (await lockLease(tx, { subject, fence }, times.leaseMs / 2))) return;
      lose();
      throw new LeaseLost(subject);
    },
    letGo() {
      clearInterval(renewing);
      clearInterval(watching);
    },
  };
};

type Stopwatch = () => number;

/** One clock stands still while the machine sleeps, the other can be set back: the later one counts. */
export const startStopwatch = (): Stopwatch => {
  const steady = performance.now();
  const wall = Date.now();
  return () => Math.max(performance.now() - steady, Date.now() - wall);
};

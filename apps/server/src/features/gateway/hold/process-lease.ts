import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { startStopwatch } from '../../../queue/lease/lease.ts';
import { insertProcess, lockProcess, renewProcess } from '../queries/processes.ts';

/**
 * The right of one process to act for the bots it holds: one row for all of them, renewed by every round
 * of the process, and by itself where that did not happen for `renewMs`. The leases of long jobs are a row
 * and a timer each, which for thousands of bots would be thousands of statements a minute.
 *
 *   held    until the process's own stopwatch reaches `leaseMs - marginMs` without a renewal, or a
 *           renewal finds the row gone.
 *   lost    for good: the process drops its sockets and registers anew, under another id.
 *
 * The process gives up before the database does. Should it wake up late all the same, nothing that it
 * writes commits: its writes go through `transaction`, which first locks the process's row.
 */
export type ProcessLease = {
  processId: string;
  isHeld(): boolean;
  /** Commits while the lease is held, or throws HoldingLost before `work` begins. */
  transaction<Result>(db: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** The same, and renews the lease. */
  renewingTransaction: ProcessLease['transaction'];
  /** Aborted when it is lost. */
  signal: AbortSignal;
  stopRenewing(): void;
};

export class HoldingLost extends Error {
  constructor() {
    super('Another process holds the bot');
    this.name = 'HoldingLost';
  }
}

export type ProcessLeaseTimes = { leaseMs: number; renewMs: number; marginMs: number };

/** Registers this process. `db` has a connection for renewals, so that they wait for nobody. */
export const acquireProcessLease = async (
  { db, log, name }: { db: Database; log: Log; name: string },
  times: ProcessLeaseTimes,
): Promise<ProcessLease> => {
  const processId = newId();
  const hold = createHold(times);
  await insertProcess(db, { id: processId, name }, times.leaseMs);
  const requireHeld = async (tx: Transaction) => {
    if (hold.isHeld() && (await lockProcess(tx, processId, times.leaseMs / 2))) return;
    throw hold.lose();
  };
  const renew = async (queryable: Queryable) => {
    const renewedAge = startStopwatch();
    if (!(await renewProcess(queryable, processId, times.leaseMs))) throw hold.lose();
    return renewedAge;
  };
  const renewing = setInterval(() => {
    if (!hold.isDue()) return;
    renew(db).then(hold.onRenewed, (err) => {
      if (hold.isHeld()) log.warn({ err }, 'the hold on bots could not be renewed');
    });
  }, times.renewMs / 2);
  const watching = setInterval(hold.isHeld, times.marginMs / 2);
  return {
    processId,
    isHeld: hold.isHeld,
    signal: hold.signal,
    transaction: (database, work) =>
      database.transaction(async (tx) => {
        await requireHeld(tx);
        return work(tx);
      }),
    async renewingTransaction(database, work) {
      const { result, renewedAge } = await database.transaction(async (tx) => {
        await requireHeld(tx);
        const result = await work(tx);
        if (!hold.isHeld()) throw new HoldingLost();
        // Last, so that a renewal over another connection does not wait for the rest.
        return { result, renewedAge: await renew(tx) };
      });
      hold.onRenewed(renewedAge);
      return result;
    },
    stopRenewing() {
      clearInterval(renewing);
      clearInterval(watching);
    },
  };
};

/** What the process knows by itself about its lease. */
const createHold = (times: ProcessLeaseTimes) => {
  const loss = new AbortController();
  // Started before the statement: the database counts from a later moment, so this is the earlier end.
  let age = startStopwatch();
  const lose = () => {
    const lost = new HoldingLost();
    loss.abort(lost);
    return lost;
  };
  const isHeld = () => {
    if (age() >= times.leaseMs - times.marginMs) lose();
    return !loss.signal.aborted;
  };
  return {
    signal: loss.signal,
    isHeld,
    lose,
    isDue: () => isHeld() && age() >= times.renewMs,
    onRenewed(renewedAge: typeof age) {
      if (isHeld() && renewedAge() < age()) age = renewedAge;
    },
  };
};

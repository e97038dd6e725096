import type { Database, Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { startStopwatch } from '../../../queue/lease/lease.ts';
import { insertProcess, lockProcess, renewProcess } from '../queries/processes.ts';

/**
 * The right of one process to act for the bots it holds: one row for all of them, renewed every
 * `renewMs`. The leases of long jobs are a row and a timer each, which for thousands of bots would be
 * thousands of statements a minute.
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

/** Registers this process. `db` has a connection of its own, so that a renewal waits for nobody. */
export const acquireProcessLease = async (
  { db, log, name }: { db: Database; log: Log; name: string },
  times: ProcessLeaseTimes,
): Promise<ProcessLease> => {
  const processId = newId();
  const loss = new AbortController();
  // Started before the statement: the database counts from a later moment, so this is the earlier end.
  let age = startStopwatch();
  await insertProcess(db, { id: processId, name }, times.leaseMs);
  const isHeld = () => {
    if (age() >= times.leaseMs - times.marginMs) loss.abort(new HoldingLost());
    return !loss.signal.aborted;
  };
  const requireHeld = async (tx: Transaction) => {
    if (isHeld() && (await lockProcess(tx, processId, times.leaseMs / 2))) return;
    loss.abort(new HoldingLost());
    throw new HoldingLost();
  };
  const renew = async () => {
    if (!isHeld()) return;
    const renewedAge = startStopwatch();
    const isRenewed = await renewProcess(db, processId, times.leaseMs);
    if (isRenewed) age = renewedAge;
    else loss.abort(new HoldingLost());
    isHeld();
  };
  const renewing = setInterval(() => {
    renew().catch((err) => log.warn({ err }, 'the hold on bots could not be renewed'));
  }, times.renewMs);
  const watching = setInterval(isHeld, times.marginMs / 2);
  return {
    processId,
    isHeld,
    signal: loss.signal,
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

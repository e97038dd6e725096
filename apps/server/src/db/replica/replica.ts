import type { Registry } from 'prom-client';
import { createBatches } from '../../kernel/batches.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database } from '../connect.ts';
import { markTransactionPooled } from '../database-url.ts';
import { trackPool } from '../pool/usage.ts';
import { markPooler } from '../require-session.ts';
import { createReplicaMetrics } from './metrics.ts';
import { type Position, readPosition } from './queries.ts';
import { connectStandby, NotFromStandby, type Reason } from './standby.ts';

type Read<Result> = (db: Database) => Promise<Result>;

export type Replica = {
  /**
   * Reads from the standby where it has everything that was committed before this call, otherwise from the
   * primary. `read` may be run twice, so it must not change anything.
   */
  read<Result>(read: Read<Result>): Promise<Result>;
  stop(): void;
};

type Options = {
  url: string;
  poolSize: number;
  primary: Database;
  log: Log;
  registry: Registry;
};

const times = {
  /** While it is used: how far it is, for the metrics, and whether it answers at all. */
  askEveryMs: 5000,
  /** After it failed; shorter where it is only late. */
  restMs: 3000,
  restBehindMs: 500,
};

/** These say something about the standby, not about one read. */
const ofStandby: Reason[] = ['behind', 'away', 'silent', 'promoted', 'other_history'];

/**
 * Lists and searches from a standby (decision 32). The states:
 *
 *   unusable   reads go to the primary at once. After a rest the standby is asked whether it has all that is
 *              committed; if so it is usable.
 *   usable     each read asks the primary for its position and waits a moment until the standby has
 *              replayed up to it. A read that the standby cannot answer goes to the primary; where that tells
 *              something about the standby, it is unusable from then on.
 */
export const openReplica = ({ url, poolSize, primary, log, registry }: Options): Replica => {
  const metrics = createReplicaMetrics(registry);
  let address: string | undefined;
  // Until it is known what answers there, as if it were a pooler.
  const connect = () =>
    connectStandby(address ?? markTransactionPooled(url), poolSize, metrics.noteReplay);
  let standby = connect();
  // It has not been asked yet.
  let unusable: Reason | undefined = 'away';
  let reported: Reason | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const untrack = trackPool(() => ({
    ...{ name: 'holdfast-replica', size: poolSize, wanted: standby.used() },
  }));

  /** One question for all reads that are wanted at the same time; it is sent after each of them began. */
  const askPosition = createBatches<'now', Position>(
    (now) => now,
    async () => [await readPosition(primary)],
  );

  const askLater = (ms: number) => {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(ask, ms);
    timer.unref();
  };
  const learnAddress = async (): Promise<void> => {
    if (address !== undefined) return;
    address = await markPooler(url).catch(() => undefined);
    if (address === undefined || isStopped) return;
    standby.close();
    standby = connect();
  };
  const ask = async (): Promise<void> => {
    await learnAddress();
    const position = await askPosition('now').catch(() => undefined);
    // Without a primary there is nothing to compare with.
    if (!position) return askLater(times.restMs);
    const asked = standby;
    const failure = await asked.read(position, async () => undefined).catch(reasonOf);
    if (isStopped) return;
    if (failure !== undefined && failure !== 'busy') return setUnusable(failure, asked);
    setUsable();
    askLater(times.askEveryMs);
  };

  const setUnusable = (reason: Reason, failed: typeof standby): void => {
    // What others say of connections that were replaced is known.
    if (failed !== standby || isStopped) return;
    unusable = reason;
    metrics.noteUsable(false);
    if (reason !== 'behind') {
      standby = connect();
      failed.close();
      if (reported !== reason) log.warn({ reason }, 'lists are read from the primary only');
      reported = reason;
    }
    askLater(reason === 'behind' ? times.restBehindMs : times.restMs);
  };
  const setUsable = (): void => {
    unusable = undefined;
    metrics.noteUsable(true);
    if (reported !== undefined) log.info('lists are read from the standby again');
    reported = undefined;
  };

  const readStandby = async <Result>(read: Read<Result>): Promise<{ result: Result } | Reason> => {
    if (unusable !== undefined) return unusable;
    const asked = standby;
    const position = await askPosition('now').catch(() => undefined);
    if (!position) return 'failed';
    try {
      return { result: await asked.read(position, read) };
    } catch (error) {
      if (!(error instanceof NotFromStandby)) throw error;
      if (ofStandby.includes(error.reason)) setUnusable(error.reason, asked);
      return error.reason;
    }
  };

  ask();
  return {
    async read(read) {
      const outcome = await readStandby(read);
      if (typeof outcome === 'object') {
        metrics.noteReplica();
        return outcome.result;
      }
      metrics.notePrimary(outcome);
      return read(primary);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      untrack();
      standby.close();
    },
  };
};

const reasonOf = (error: unknown): Reason =>
  error instanceof NotFromStandby ? error.reason : 'failed';

import { SQL, type TransactionSQL } from 'bun';
import { DeadlinePassed, withinDeadline } from '../../kernel/deadline.ts';
import { HttpError } from '../../kernel/errors.ts';
import type { Database } from '../connect.ts';
import { parseDatabaseUrl } from '../database-url.ts';
import {
  causeOf,
  isCancelledStatement,
  isPrimaryLost,
  isTransactionConflict,
} from '../failures.ts';
import { type Position, type Replay, readReplay } from './queries.ts';
import { createSeats, type Seat } from './seats.ts';

/**
 * Why a read goes to the primary although there is a standby. `behind`: it has not replayed what was
 * committed; `away`, `silent`: it cannot be reached, it does not answer; `promoted`, `other_history`: it is
 * no standby of this primary (any more); `conflict`: replaying ended the read; `slow`: the read took too
 * long; `busy`: all connections are used; `failed`: anything else.
 */
export type Reason =
  | ('behind' | 'away' | 'silent' | 'promoted' | 'other_history')
  | ('conflict' | 'slow' | 'busy' | 'failed');

/** The standby did not answer the read, which the primary must. */
export class NotFromStandby extends Error {
  constructor(
    readonly reason: Reason,
    cause?: unknown,
  ) {
    super(`The standby does not answer this read: ${reason}`, { cause });
    this.name = 'NotFromStandby';
  }
}

const times = {
  /** For a connection and the question how far it is. */
  checkMs: 500,
  /** How long a read waits for the standby to catch up, and how often it looks. */
  catchUpMs: 50,
  lookEveryMs: 3,
  /** For one statement; the rest of a request's time is the primary's. */
  statementMs: 1500,
};

/** A statement's own time-out answers first, where anything answers. */
const silenceMs = 250;
const idleSeconds = 10;

type Read<Result> = (db: Database) => Promise<Result>;

type Standby = {
  /** Reads where everything up to the position is visible; throws `NotFromStandby`, or what the handler refuses with. */
  read<Result>(position: Position, read: Read<Result>): Promise<Result>;
  used(): number;
  /** Ends its connections, also those that do not answer. */
  close(): void;
};

/**
 * The connections to a standby. Each read has a transaction of its own, in which the standby is first asked
 * how far it is: so the rows come from the very server that answered, also where the address leads to
 * several. Not a repeatable read, whose snapshot is older than that answer.
 */
export const connectStandby = (
  url: string,
  size: number,
  onReplay: (replay: Replay) => void,
): Standby => {
  const { hosts, isTransactionPooled } = parseDatabaseUrl(url);
  const client = new SQL({
    ...{ ...hosts[0].bun, max: size, idleTimeout: idleSeconds, connectionTimeout: 2 },
    // Planning each list anew takes as long as reading it.
    prepare: !isTransactionPooled,
    connection: { application_name: 'holdfast-replica' },
  });
  const seats = createSeats(size, times.statementMs + silenceMs);

  const waitFor = async (tx: TransactionSQL, position: Position): Promise<void> => {
    const startedAt = performance.now();
    for (;;) {
      const replay = await readReplay(tx, position, times.statementMs);
      onReplay(replay);
      const reason = judge(replay, position);
      if (reason === undefined) return;
      const isLate = performance.now() - startedAt > times.catchUpMs;
      if (reason !== 'behind' || isLate) throw new NotFromStandby(reason);
      await Bun.sleep(times.lookEveryMs);
    }
  };

  /** Settles the read as soon as its outcome is known: the end of the transaction may never be answered. */
  const readIn = async <Result>(
    seat: Seat,
    position: Position,
    read: Read<Result>,
    { resolve, reject }: PromiseWithResolvers<Result>,
  ): Promise<void> => {
    const { checkMs: ms } = times;
    const checked = Promise.withResolvers<void>();
    let isGivenUp = false;
    const transaction = client.begin('read only', async (tx) => {
      seat.use(tx);
      await waitFor(tx, position);
      if (isGivenUp) throw new NotFromStandby('silent');
      checked.resolve();
      const reading = read(seat.db);
      reading.then(resolve, reject);
      await reading;
    });
    transaction.catch(checked.reject);
    await withinDeadline({ ms, lastMs: ms }, () => checked.promise).finally(() => {
      isGivenUp = true;
    });
    await transaction;
  };

  return {
    used: seats.used,
    async read<Result>(position: Position, read: Read<Result>) {
      if (seats.isFull()) throw new NotFromStandby('busy');
      const outcome = Promise.withResolvers<Result>();
      seats.take((seat) => readIn(seat, position, read, outcome)).catch(outcome.reject);
      return outcome.promise.catch(throwReason);
    },
    close() {
      client.close({ timeout: 0 }).catch(() => undefined);
    },
  };
};

const judge = (
  { isStandby, hasAll, timeline, system }: Replay,
  position: Position,
): Reason | undefined => {
  if (system !== position.system) return 'other_history';
  if (!isStandby) return 'promoted';
  if (timeline !== position.timeline) return 'other_history';
  return hasAll === true ? undefined : 'behind';
};

const throwReason = (error: unknown): never => {
  const isDecided = error instanceof HttpError || error instanceof NotFromStandby;
  throw isDecided ? error : new NotFromStandby(reasonOf(error), error);
};

const reasonOf = (error: unknown): Reason => {
  if (causeOf(error) instanceof DeadlinePassed) return 'silent';
  if (isTransactionConflict(error)) return 'conflict';
  if (isCancelledStatement(error)) return 'slow';
  return isPrimaryLost(error) ? 'away' : 'failed';
};

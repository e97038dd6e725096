import type { Database, Transaction } from '../../../db/connect.ts';
import { isPermanentFailure } from '../../../db/failures.ts';
import type { Log } from '../../../kernel/log.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { Dispatch, GatewaySession } from '../../../platform/gateway/port.ts';
import type { GatewayMetrics } from '../hold/metrics.ts';
import { HoldingLost, type ProcessLease } from '../hold/process-lease.ts';
import { type Holding, lockConnection, storeSession } from '../queries/connections.ts';
import { dropReplayed, sessionOf } from '../rules.ts';

/**
 * What the features above do with the events of a bot, in the transaction that stores that they took
 * effect. It changes nothing but the database; what must happen elsewhere is enqueued.
 */
export type OnGuildEvents = (
  tx: Transaction,
  bot: { botId: string; accountId: string },
  events: readonly GuildEvent[],
) => Promise<void>;

/**
 * Hears every event the moment it arrives, before it is stored, and perhaps again after a resume. It
 * returns at once and decides nothing for good: what it misses or forgets, `OnGuildEvents` hears.
 */
export type OnArrival = (
  bot: { botId: string; accountId: string },
  events: readonly GuildEvent[],
) => void;

/** Told before a bot's connection is opened, from which on it hears whatever happens in its guilds. */
export type OnConnecting = (bot: { botId: string; accountId: string }) => void;

export type StoreDependencies = {
  db: Database;
  log: Log;
  metrics: GatewayMetrics;
  lease: ProcessLease;
  onGuildEvents: OnGuildEvents;
  /** Bounds how many bots of the process store at once. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

export type EventStore = {
  /** False where too many wait: the caller drops the connection and resumes later. */
  add(dispatch: Dispatch): boolean;
  /** Resolves when all that was added has taken effect; rejects with `HoldingLost`. */
  flush(): Promise<void>;
  /** Forgets what has not taken effect: a resume brings it again. */
  discard(): void;
  /** Where a resume has to begin. */
  session(): GatewaySession | undefined;
};

/** Beyond this a bot's events wait at the platform instead of in our memory. */
const mostWaiting = 5000;
const mostInBatch = 500;
/** A message without events only moves the sequence, which can wait. */
const quietFlushMs = 10_000;
const firstRetryMs = 100;
const longestRetryMs = 10_000;

/**
 * Stores a bot's dispatches in order, in batches. Each batch is one transaction: the right to write (the
 * process still holds the bot), the effects, and the sequence up to which they have taken effect. So what
 * is stored never runs ahead of its effects nor behind them, and what a resume repeats is dropped.
 */
export const createEventStore = (
  dependencies: StoreDependencies,
  holding: Holding,
  stored: Parameters<typeof sessionOf>[0],
): EventStore => {
  const { inTurn } = dependencies;
  let session = sessionOf(stored);
  let waiting: Dispatch[] = [];
  let flushing: Promise<void> | undefined;
  let quiet: ReturnType<typeof setTimeout> | undefined;

  const storeNext = async () => {
    const batch = waiting.slice(0, mostInBatch);
    session = await inTurn(() => storeBatch(dependencies, holding, batch));
    const done = new Set(batch);
    waiting = waiting.filter((dispatch) => !done.has(dispatch));
  };
  const storeAll = async () => {
    while (waiting.length > 0) await storeNext();
  };
  const flush = (): Promise<void> => {
    clearTimeout(quiet);
    quiet = undefined;
    flushing ??= storeAll().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };
  const flushUnheard = () => {
    flush().catch(() => undefined);
  };

  return {
    add(dispatch) {
      if (waiting.length >= mostWaiting) return false;
      waiting.push(dispatch);
      if (dispatch.events.length > 0) flushUnheard();
      else quiet ??= setTimeout(flushUnheard, quietFlushMs);
      return true;
    },
    flush,
    discard() {
      clearTimeout(quiet);
      quiet = undefined;
      waiting = [];
    },
    session: () => session,
  };
};

/** Tries until it is stored or the bot is not held any more. What cannot be stored is skipped. */
const storeBatch = async (
  dependencies: StoreDependencies,
  holding: Holding,
  batch: readonly Dispatch[],
): Promise<GatewaySession | undefined> => {
  const { log, lease } = dependencies;
  let left = batch;
  for (let attempt = 1; ; attempt++) {
    try {
      return await storeOnce(dependencies, holding, left);
    } catch (error) {
      if (error instanceof HoldingLost || !lease.isHeld()) throw error;
      log.warn({ err: error, botId: holding.botId }, 'events of a bot could not be stored');
      if (isPermanentFailure(error)) {
        if (left.length > 1) return storeOneByOne(dependencies, holding, left);
        // Not even its number: a session that is not stored is not resumed.
        if (left.every(({ events }) => events.length === 0)) return undefined;
        left = withoutEvents(dependencies, holding, left);
      }
    }
    await Bun.sleep(Math.min(firstRetryMs * 2 ** attempt, longestRetryMs));
  }
};

/** One message that cannot be stored must not keep back all that follow it. */
const storeOneByOne = async (
  dependencies: StoreDependencies,
  holding: Holding,
  batch: readonly Dispatch[],
) => {
  let session: GatewaySession | undefined;
  for (const dispatch of batch) session = await storeBatch(dependencies, holding, [dispatch]);
  return session;
};

const withoutEvents = (
  { log, metrics }: StoreDependencies,
  { botId }: Holding,
  batch: readonly Dispatch[],
): Dispatch[] => {
  const kinds = batch.flatMap(({ events }) => events.map(({ kind }) => kind));
  log.error({ botId, kinds }, 'events of a bot were skipped');
  metrics.countSkipped(kinds.length);
  return batch.map((dispatch) => ({ ...dispatch, events: [] }));
};

const storeOnce = async (
  { db, lease, onGuildEvents, metrics }: StoreDependencies,
  holding: Holding,
  batch: readonly Dispatch[],
): Promise<GatewaySession | undefined> => {
  const { session, events } = await lease.transaction(db, async (tx) => {
    const stored = await lockConnection(tx, holding);
    if (!stored) throw new HoldingLost();
    const fresh = dropReplayed(stored, batch);
    const last = fresh.at(-1);
    if (!last) return { session: sessionOf(stored), events: [] };
    const found = fresh.flatMap((dispatch) => dispatch.events);
    const { botId, accountId } = holding;
    if (found.length > 0) await onGuildEvents(tx, { botId, accountId }, found);
    const reached = { ...last.session, sequence: last.sequence };
    await storeSession(tx, holding, reached);
    return { session: reached, events: found };
  });
  metrics.countEvents(events);
  return session;
};

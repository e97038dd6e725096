import type { Database } from '../../../db/connect.ts';
import { createSemaphore, pause } from '../../../kernel/concurrency.ts';
import type { Log } from '../../../kernel/log.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { Gateway } from '../../../platform/gateway/port.ts';
import type { Platform } from '../../../platform/port.ts';
import type { Queue } from '../../../queue/queue.ts';
import type { OnArrival, OnConnecting, OnGuildEvents } from '../connect/event-store.ts';
import { type KeepDependencies, type Keeper, keepConnected } from '../connect/keep-connected.ts';
import type { HeldBot } from '../queries/connections.ts';
import type { GatewayMetrics } from './metrics.ts';
import { acquireProcessLease, type ProcessLease, type ProcessLeaseTimes } from './process-lease.ts';
import { findSurplus, letGo, letGoOfAll, type Plan, planHolding } from './spread.ts';

type HoldTimes = ProcessLeaseTimes & {
  /** How often a process looks for bots to take, to let go and to change. */
  tickMs: number;
  /** The unit of the pauses between two connections of a bot. */
  pauseMs: number;
  /** For how long an identify counts against those that are allowed at once. */
  identifyWindowMs: number;
};

const defaultHoldTimes: HoldTimes = {
  leaseMs: 15_000,
  renewMs: 4000,
  marginMs: 3000,
  tickMs: 3000,
  pauseMs: 1000,
  // The platform's five seconds, and a little for the way there.
  identifyWindowMs: 5500,
};

type HoldDependencies = {
  db: Database;
  /**
   * Two connections of its own: for the rounds, which would keep connections of the shared pool from ever
   * being idle, and for the renewal of the lease while a round takes long.
   */
  holdDb: Database;
  ring: KeyRing;
  queue: Pick<Queue, 'enqueue'>;
  platform: Platform;
  gateway: Gateway;
  log: Log;
  metrics: GatewayMetrics;
  onGuildEvents: OnGuildEvents;
  onArrival?: OnArrival;
  onConnecting?: OnConnecting;
  /** Tells processes apart for people who read the table. */
  name: string;
  times?: Partial<HoldTimes>;
  /** How many bots are connecting at once. */
  connectsAtOnce?: number;
};

/** Enough to connect thousands within minutes, and little enough for everything else that runs here. */
const usualConnectsAtOnce = 50;
const storesAtOnce = 6;

/** Holds this process's share of all bots, until it is stopped. */
export const holdBots = (dependencies: HoldDependencies): { stop(): Promise<void> } => {
  const { holdDb, log, name } = dependencies;
  const times = { ...defaultHoldTimes, ...dependencies.times };
  const stopping = new AbortController();
  const acquire = () => acquireProcessLease({ db: holdDb, log, name }, times);
  const run = async () => {
    while (!stopping.signal.aborted) {
      const lease = await acquire().catch((err) => {
        log.warn({ err }, 'this process cannot hold bots yet; trying again');
      });
      if (!lease) await pause(times.tickMs, stopping.signal);
      else await holdUnder(dependencies, { times, lease, stopping: stopping.signal });
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
};

type Under = { times: HoldTimes; lease: ProcessLease; stopping: AbortSignal };

const holdUnder = async (
  dependencies: HoldDependencies,
  { times, lease, stopping }: Under,
): Promise<void> => {
  const { db, holdDb, log, metrics } = dependencies;
  const keepers = new Map<string, Keeper>();
  const keeping: KeepDependencies = {
    ...dependencies,
    ...{ ...times, lease },
    onArrival: dependencies.onArrival ?? (() => undefined),
    onConnecting: dependencies.onConnecting ?? (() => undefined),
    inTurn: createSemaphore(storesAtOnce),
    connectInTurn: createSemaphore(dependencies.connectsAtOnce ?? usualConnectsAtOnce),
  };
  const dropAll = () => {
    if (keepers.size > 0) log.warn({ bots: keepers.size }, 'this process lost its hold on bots');
    for (const keeper of keepers.values()) keeper.drop();
    keepers.clear();
    metrics.setHeld(0);
  };
  lease.signal.addEventListener('abort', dropAll);
  const over = AbortSignal.any([stopping, lease.signal]);

  let plannedAt = performance.now();
  while (!over.aborted) {
    try {
      const startedAt = performance.now();
      const plan = await planHolding(holdDb, lease, { keepers, sinceMs: startedAt - plannedAt });
      plannedAt = startedAt;
      if (lease.isHeld()) await follow(keeping, keepers, plan);
      metrics.setHeld(keepers.size);
    } catch (err) {
      if (lease.isHeld()) log.warn({ err }, 'bots could not be spread; trying again');
    }
    await pause(times.tickMs, over);
  }
  if (lease.isHeld()) {
    await letGoOfAll(db, lease, keepers).catch((err) =>
      log.warn({ err }, 'bots could not be left to others; they take them when the lease is over'),
    );
  }
  lease.stopRenewing();
  metrics.setHeld(0);
};

const follow = async (
  keeping: KeepDependencies,
  keepers: Map<string, Keeper>,
  plan: Plan,
): Promise<void> => {
  const { db, lease, log } = keeping;
  for (const bot of plan.claimed) keepers.set(bot.botId, startKeeper(keeping, bot));
  if (plan.claimed.length > 0) log.info({ bots: plan.claimed.length }, 'this process took bots');
  await Promise.all(plan.gone.map((botId) => keepers.get(botId)?.close('endSession')));
  for (const botId of plan.gone) keepers.delete(botId);
  const ended = plan.changed.filter((bot) => !applyChange(keepers.get(bot.botId), bot));
  await Promise.all(
    ended.map(({ botId }) => letGo(db, lease, { keepers, botId, how: 'endSession' })),
  );
  const surplus = findSurplus(keepers, plan.share);
  if (surplus.length > 0) log.info({ bots: surplus.length }, 'bots move to another process');
  await Promise.all(
    surplus.map((botId) => letGo(db, lease, { keepers, botId, how: 'keepSession' })),
  );
};

const startKeeper = (keeping: KeepDependencies, bot: HeldBot): Keeper => {
  const { botId, accountId } = bot;
  const { processId } = keeping.lease;
  return keepConnected(keeping, { botId, accountId, processId }, bot);
};

/** False where the connection has to end: the bot is off, refused, or has another token. */
const applyChange = (keeper: Keeper | undefined, bot: HeldBot): boolean => {
  if (!keeper) return true;
  if (!bot.isWanted || !keeper.hasTokenOf(bot)) return false;
  keeper.showPresence(bot);
  return true;
};

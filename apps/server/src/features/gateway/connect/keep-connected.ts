import { pause } from '../../../kernel/concurrency.ts';
import type { Log } from '../../../kernel/log.ts';
import { SealBroken } from '../../../kernel/seal.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { BotUnusable } from '../../bots/use/use-bot.ts';
import { HoldingLost } from '../hold/process-lease.ts';
import type { HeldBot, Holding } from '../queries/connections.ts';
import { pauseAfter } from '../rules.ts';
import { createBotSocket, type SocketDependencies, type SocketEnd } from './bot-socket.ts';
import { createEventStore } from './event-store.ts';
import { createShown, settleRefusal } from './show-connection.ts';

export type KeepDependencies = SocketDependencies & {
  /** The unit of the pauses between two connections. */
  pauseMs: number;
};

/** One bot that this process holds. */
export type Keeper = {
  holding: Holding;
  /** Whether the bot's record has the token that it is connected with. */
  hasTokenOf(bot: HeldBot): boolean;
  /** Shows the bot's present status and activity. */
  showPresence(bot: HeldBot): void;
  /** Closed now, it would leave a session behind that nobody knows and could resume. */
  isConnecting(): boolean;
  /** Ends when everything that was received is stored. */
  close(how: 'keepSession' | 'endSession'): Promise<void>;
  /** Ends without a word to the platform or the database: the right to speak is lost. */
  drop(): void;
};

type Outcome = SocketEnd | { kind: 'unusable' };

/** A connection that lasted so many pauses was not a failure. */
const stablePauses = 10;

/** For a bot that cannot be used as it is: its owner has to change something. */
const unusablePauses = 300;

/** Keeps one bot connected, by one connection after the other, until it is closed, dropped or refused. */
export const keepConnected = (
  dependencies: KeepDependencies,
  holding: Holding,
  bot: HeldBot,
): Keeper => {
  const { lease, log, pauseMs } = dependencies;
  const { botId } = holding;
  const store = createEventStore(dependencies, holding, bot);
  const stopping = new AbortController();
  const { signal } = stopping;
  const shown = createShown(dependencies, holding);
  const socket = createBotSocket(dependencies, holding, {
    ...{ bot, store, signal },
    onConnected: shown.connected,
  });
  let failures = 0;

  const connect = async (): Promise<Outcome> => {
    const { end, lastedMs } = await socket.connect(failures);
    failures = lastedMs >= stablePauses * pauseMs ? 0 : failures + 1;
    return end;
  };
  const run = async () => {
    while (!signal.aborted && lease.isHeld()) {
      const outcome = await connect().catch((error: unknown) => {
        failures++;
        return outcomeOfFailure(log, error);
      });
      await store.flush();
      if (signal.aborted) return;
      if (outcome.kind === 'refused') {
        log.warn({ botId, what: outcome.what }, 'the gateway refuses a bot');
        return settleRefusal(dependencies, holding, { ...outcome, token: socket.token(), signal });
      }
      // One that is resumed at once is not shown as lost.
      if (failures > 0) await shown.disconnected();
      logHeldBack(log, holding, outcome);
      await pause(pauseOf(outcome, failures, pauseMs), signal);
    }
  };
  const running = run().catch((err) => {
    if (!(err instanceof HoldingLost) && lease.isHeld())
      log.error({ err, botId }, 'a bot was lost');
  });

  return {
    holding,
    hasTokenOf: socket.hasTokenOf,
    showPresence: socket.showPresence,
    isConnecting: socket.isConnecting,
    async close(how) {
      stopping.abort();
      await socket.close(how);
      await running;
      await store.flush().catch(() => undefined);
      await shown.settled();
    },
    drop() {
      stopping.abort();
      socket.drop();
      store.discard();
    },
  };
};

/** Longer than the few seconds that identifies have to be apart. */
const longWaitMs = 60_000;

const logHeldBack = (log: Log, { botId }: Holding, outcome: Outcome): void => {
  if (outcome.kind !== 'heldBack' || outcome.waitMs < longWaitMs) return;
  const seconds = Math.round(outcome.waitMs / 1000);
  log.warn({ botId, seconds }, 'a bot used up its identifies of the day and has to wait');
};

const pauseOf = (outcome: Outcome, failures: number, pauseMs: number): number => {
  if (outcome.kind === 'heldBack') return outcome.waitMs;
  if (outcome.kind === 'unusable') return unusablePauses * pauseMs;
  return pauseAfter(outcome.kind, failures, { random: Math.random(), pauseMs });
};

const outcomeOfFailure = (log: Log, error: unknown): Outcome => {
  if (error instanceof HoldingLost) throw error;
  if (error instanceof BotUnusable || error instanceof SealBroken) return { kind: 'unusable' };
  if (!(error instanceof PlatformFailure)) log.warn({ err: error }, 'a bot could not connect');
  const isDead = error instanceof PlatformFailure && error.kind === 'botTokenDead';
  return isDead ? { kind: 'unusable' } : { kind: 'cut', code: undefined };
};

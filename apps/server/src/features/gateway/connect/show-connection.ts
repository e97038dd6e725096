import type { Transaction } from '../../../db/connect.ts';
import { pause } from '../../../kernel/concurrency.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { markConnected, markDisconnected } from '../../bots/queries.ts';
import { type BotDependencies, refuseConnection, refuseToken } from '../../bots/use/use-bot.ts';
import { HoldingLost } from '../hold/process-lease.ts';
import type { Holding } from '../queries/connections.ts';
import type { StoreDependencies } from './event-store.ts';

type Dependencies = Pick<StoreDependencies, 'db' | 'lease' | 'log'>;

/** What a bot's record says about its connection; like every write of a holder, only while it holds the bot. */
export const createShown = ({ db, lease, log }: Dependencies, holding: Holding) => {
  let last: Promise<void> = Promise.resolve();
  const write = async (mark: (tx: Transaction) => Promise<void>) => {
    try {
      await lease.transaction(db, async (tx) => {
        await mark(tx);
      });
    } catch (err) {
      if (err instanceof HoldingLost) return;
      const { botId } = holding;
      log.warn({ err, botId }, "a bot's connection could not be shown on its record");
    }
  };
  /** One after the other, so that the last word is the last. */
  const inOrder = (mark: (tx: Transaction) => Promise<void>): Promise<void> => {
    last = last.then(() => write(mark));
    return last;
  };
  return {
    connected: () => inOrder((tx) => markConnected(tx, holding)),
    disconnected: () => inOrder((tx) => markDisconnected(tx, [holding])),
    settled: () => last,
  };
};

const retryMs = 1000;

type Refusal = { what: 'token' | 'intents' | 'size'; token: Secret; signal: AbortSignal };

/**
 * Tries until it is stored: a refused bot that is not recorded as such would be tried again. By the signal
 * the bot is let go, and whoever holds it next is refused in turn.
 */
export const settleRefusal = async (
  dependencies: Dependencies & BotDependencies,
  holding: Holding,
  { what, token, signal }: Refusal,
): Promise<void> => {
  const { lease, log } = dependencies;
  while (lease.isHeld() && !signal.aborted) {
    try {
      if (what === 'token') await refuseToken(dependencies, holding, token);
      else await refuseConnection(dependencies, holding, what === 'intents' ? 'INTENTS' : 'SIZE');
      return;
    } catch (err) {
      log.warn({ err, botId: holding.botId }, 'a refusal of the gateway could not be stored');
    }
    await pause(retryMs, signal);
  }
};

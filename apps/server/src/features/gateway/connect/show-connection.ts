import type { Secret } from '../../../kernel/secret.ts';
import { markConnected, markDisconnected } from '../../bots/queries.ts';
import { type BotDependencies, refuseConnection, refuseToken } from '../../bots/use/use-bot.ts';
import { HoldingLost } from '../hold/process-lease.ts';
import type { Holding } from '../queries/connections.ts';
import type { StoreDependencies } from './event-store.ts';

type Dependencies = Pick<StoreDependencies, 'db' | 'lease' | 'log'>;

/** On the bot's record; like every write of a holder only while it holds the bot. */
export const showConnected = ({ db, lease, log }: Dependencies, holding: Holding): void => {
  db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    await markConnected(tx, holding);
  }).catch((err) => logUnlessLost(log, err, holding));
};

export const showDisconnected = async (
  { db, lease, log }: Dependencies,
  holding: Holding,
): Promise<void> => {
  await db
    .transaction(async (tx) => {
      await lease.requireHeld(tx);
      await markDisconnected(tx, [holding]);
    })
    .catch((err) => logUnlessLost(log, err, holding));
};

const logUnlessLost = (log: Dependencies['log'], err: unknown, { botId }: Holding) => {
  if (err instanceof HoldingLost) return;
  log.warn({ err, botId }, "a bot's connection could not be shown on its record");
};

const retryMs = 1000;

type Refusal = { what: 'token' | 'intents' | 'size'; token: Secret };

/** Tries until it is stored: a refused bot that is not recorded as such would be tried again. */
export const settleRefusal = async (
  dependencies: Dependencies & BotDependencies,
  holding: Holding,
  { what, token }: Refusal,
): Promise<void> => {
  const { db, lease, log } = dependencies;
  while (lease.isHeld()) {
    try {
      if (what === 'token') await refuseToken(dependencies, holding, token);
      else await refuseConnection(db, holding, what === 'intents' ? 'INTENTS' : 'SIZE');
      return;
    } catch (err) {
      log.warn({ err, botId: holding.botId }, 'a refusal of the gateway could not be stored');
    }
    await Bun.sleep(retryMs);
  }
};

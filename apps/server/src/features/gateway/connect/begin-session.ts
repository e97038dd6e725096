import type { Database } from '../../../db/connect.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { GatewayIntent } from '../../../platform/gateway/port.ts';
import type { GatewayAccess } from '../../../platform/port.ts';
import {
  type BotDependencies,
  type BotOwner,
  readIntentsOf,
  useBot,
} from '../../bots/use/use-bot.ts';
import type { ProcessLease } from '../hold/process-lease.ts';
import { countIdentifies, insertIdentify, lockIdentifies } from '../queries/identifies.ts';
import { applicationOf, identifyWaitMs } from '../rules.ts';

/** What is needed in any case; members are seen only where the owner switched that intent on. */
const plainIntents: GatewayIntent[] = ['GUILDS', 'GUILD_MODERATION'];

type NewSession = {
  url: string;
  access: GatewayAccess['identifies'];
  intents: GatewayIntent[];
};

/**
 * Asks the platform where to connect and which intents are switched on. To identify with one that is not
 * would be refused, and count.
 */
export const prepareSession = (
  dependencies: BotDependencies,
  owner: BotOwner,
  signal: AbortSignal,
): Promise<NewSession> =>
  useBot(dependencies, owner, async (bot) => {
    const { url, identifies } = await bot.readGateway({ signal });
    const granted = await readIntentsOf(dependencies, owner, bot, signal);
    const intents = granted.includes('GUILD_MEMBERS')
      ? [...plainIntents, 'GUILD_MEMBERS' as const]
      : plainIntents;
    return { url, access: identifies, intents };
  });

type ClaimDependencies = {
  db: Database;
  lease: ProcessLease;
  /** For how long an identify counts against those that are allowed at once. */
  identifyWindowMs: number;
};

/**
 * Counts one more session for the application, before it is begun; then it may be. 0 where it may, else
 * how long to wait. All processes count in the same place.
 */
export const claimIdentify = (
  { db, lease, identifyWindowMs }: ClaimDependencies,
  { token, clientId }: { token: Secret; clientId: string },
  access: GatewayAccess['identifies'],
): Promise<number> => {
  const application = applicationOf(token.reveal(), clientId);
  return lease.transaction(db, async (tx) => {
    await lockIdentifies(tx, application);
    const counts = await countIdentifies(tx, application, identifyWindowMs);
    const waitMs = identifyWaitMs(access, counts, identifyWindowMs);
    if (waitMs === 0) await insertIdentify(tx, application);
    return waitMs;
  });
};

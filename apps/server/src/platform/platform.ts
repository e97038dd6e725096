import type { Secret } from '../kernel/secret.ts';
import { sha256Hex } from '../kernel/sha256.ts';
import { withinTime } from './abortable.ts';
import { type BotClient, createBotClient } from './bot-client.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { PlatformFailure } from './failures.ts';
import { createBotPlatform } from './guild-platform.ts';
import { createImages } from './images.ts';
import type { PlatformMetrics } from './metrics.ts';
import type { Platform } from './port.ts';
import { normalizeApiUrl } from './urls.ts';

export type PlatformOptions = {
  apiUrl: string;
  cdnUrl: string;
  metrics: PlatformMetrics;
  /** One for the process, shared with whoever else calls the platform. */
  breaker?: Breaker;
  /** How long one attempt may take. */
  timeoutMs?: number;
  /** How long a bot waits at most before a second attempt. */
  firstBackOffMs?: number;
};

/** The port's one adapter: the platform over HTTP, whether it is the real one or a simulator. */
export const createPlatform = (options: PlatformOptions): Platform => {
  const tools = {
    ...options,
    apiUrl: normalizeApiUrl(options.apiUrl),
    cdnUrl: options.cdnUrl.replace(/\/+$/, ''),
    breaker: options.breaker ?? createBreaker(),
  };
  const clientOf = createClientCache((token) => createBotClient(token, tools));
  return {
    ...createImages(tools),
    bot: (token) => createBotPlatform(clientOf(token)),
    checkToken: async (token, { timeoutMs }) => {
      // A client of its own, so that no other call slips out with a token that may be dead.
      const asker = createBotClient(token, tools);
      try {
        const bot = createBotPlatform(asker);
        const profile = await withinTime(timeoutMs, (signal) =>
          bot.readBot({ signal, attempts: 1 }),
        );
        clientOf(token).setDead(false);
        return profile;
      } catch (error) {
        if (isTokenDead(error)) clientOf(token).setDead(true);
        throw error;
      } finally {
        asker.close();
      }
    },
  };
};

const isTokenDead = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'botTokenDead';

/** Bots of every account that is at work at the same time; one of them takes a few kilobytes. */
const clientsKept = 5000;

/** Whoever was not used for longest goes first; it would have to learn its buckets anew. */
const createClientCache = (create: (token: Secret) => BotClient) => {
  const clients = new Map<string, BotClient>();
  return (token: Secret): BotClient => {
    const key = sha256Hex(token.reveal());
    const client = clients.get(key) ?? create(token);
    clients.delete(key);
    clients.set(key, client);
    const [oldest] = clients;
    if (clients.size > clientsKept && oldest) {
      oldest[1].close();
      clients.delete(oldest[0]);
    }
    return client;
  };
};

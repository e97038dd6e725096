import { sha256Hex } from '../kernel/hash.ts';
import { Secret } from '../kernel/secret.ts';
import { createBotPlatform } from './calls/bot-platform.ts';
import { withinTime } from './client/abortable.ts';
import { type BotClient, createBotClient } from './client/bot-client.ts';
import { type Breaker, createBreaker } from './client/breaker.ts';
import { createImages } from './client/images.ts';
import { createPacer, usualCallsPerSecond } from './client/rest.ts';
import { inviteUrlOf, normalizeApiUrl } from './client/urls.ts';
import { PlatformFailure } from './failures.ts';
import type { PlatformMetrics } from './metrics.ts';
import type { Platform } from './port.ts';

type PlatformOptions = {
  apiUrl: string;
  cdnUrl: string;
  metrics: PlatformMetrics;
  /** One per process, shared with the OAuth client. */
  breaker?: Breaker;
  /** Of one bot, and of all calls that name none. */
  callsPerSecond?: number;
  /** The time limit of one attempt. */
  timeoutMs?: number;
  /** The longest wait before a second attempt. */
  firstBackOffMs?: number;
};

/** The adapter of the port: the platform over HTTP, the real one or the simulator. */
export const createPlatform = (options: PlatformOptions): Platform => {
  const dependencies = {
    ...options,
    apiUrl: normalizeApiUrl(options.apiUrl),
    cdnUrl: options.cdnUrl.replace(/\/+$/, ''),
    breaker: options.breaker ?? createBreaker(),
    waitForAnonymousSlot: createPacer(options.callsPerSecond ?? usualCallsPerSecond, 1000),
  };
  const clientOf = createClientCache((token) => createBotClient(token, dependencies));
  return {
    ...createImages(dependencies),
    inviteUrl: (code) => inviteUrlOf(dependencies.apiUrl, code),
    webhookUrl: (webhookId, token) =>
      new Secret(`${dependencies.apiUrl}/webhooks/${webhookId}/${token.reveal()}`),
    bot: (token) => createBotPlatform(clientOf(token)),
    checkToken: async (token, { timeoutMs }) => {
      // A separate client, so that no other call is sent with a token that may be invalid.
      const probe = createBotClient(token, dependencies);
      try {
        const bot = createBotPlatform(probe);
        const profile = await withinTime(timeoutMs, (signal) =>
          bot.readBot({ signal, attempts: 1 }),
        );
        clientOf(token).setDead(false);
        return profile;
      } catch (error) {
        if (isTokenDead(error)) clientOf(token).setDead(true);
        throw error;
      } finally {
        probe.close();
      }
    },
  };
};

const isTokenDead = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'botTokenDead';

/** More than the bots in use at the same time; each takes a few kilobytes. */
const clientsKept = 5000;

/** Least recently used first; a client that is created again has to learn its buckets again. */
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

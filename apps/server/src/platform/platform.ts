import { sha256Hex } from '../kernel/hash.ts';
import { Secret } from '../kernel/secret.ts';
import { createBotPlatform } from './calls/bot-platform.ts';
import { withinTime } from './client/abortable.ts';
import { type BotClient, createBotClient } from './client/bot-client.ts';
import { type Breaker, createBreaker } from './client/breaker.ts';
import { createImages } from './client/images.ts';
import { createPacer, usualCallsPerSecond } from './client/rest.ts';
import { botInviteUrlOf, inviteUrlOf, normalizeApiUrl, portalUrlOf } from './client/urls.ts';
import { PlatformFailure } from './failures.ts';
import type { PlatformMetrics } from './metrics.ts';
import type { BotPlatform, CallOptions, Platform } from './port.ts';

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
    waitForAnonymousTurn: createPacer(options.callsPerSecond ?? usualCallsPerSecond, 1000),
  };
  const useToken = createTokenCache((token) => {
    const client = createBotClient(token, dependencies);
    return { client, bot: createBotPlatform(client) };
  });
  // A separate client, so that no other call is sent with a token that may be invalid.
  const probeWith =
    <Answer>(ask: (bot: BotPlatform, options: CallOptions) => Promise<Answer>) =>
    async (token: Secret, { timeoutMs }: { timeoutMs: number }): Promise<Answer> => {
      const probe = createBotClient(token, dependencies);
      try {
        const bot = createBotPlatform(probe);
        const answer = await withinTime(timeoutMs, (signal) => ask(bot, { signal, attempts: 1 }));
        useToken(token).client.setDead(false);
        return answer;
      } catch (error) {
        if (isTokenDead(error)) useToken(token).client.setDead(true);
        throw error;
      } finally {
        probe.close();
      }
    };
  return {
    ...createImages(dependencies),
    inviteUrl: (code) => inviteUrlOf(dependencies.apiUrl, code),
    botInviteUrl: (clientId, permissions, guildId) =>
      botInviteUrlOf(dependencies.apiUrl, { clientId, permissions, guildId }),
    portalUrl: (page) => portalUrlOf(dependencies.apiUrl, page),
    webhookUrl: (webhookId, token) =>
      new Secret(`${dependencies.apiUrl}/webhooks/${webhookId}/${token.reveal()}`),
    bot: (token) => useToken(token).bot,
    checkToken: probeWith((bot, options) => bot.readBot(options)),
    lookUpToken: probeWith((bot, options) => bot.readApplication(options)),
  };
};

const isTokenDead = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'botTokenDead';

type TokenUse = { client: BotClient; bot: BotPlatform };

/** More than the bots in use at the same time; each takes a few kilobytes. */
const tokensKept = 5000;

/** Least recently used first; a client that is created again has to learn its buckets again. */
const createTokenCache = (create: (token: Secret) => TokenUse) => {
  const uses = new Map<string, TokenUse>();
  return (token: Secret): TokenUse => {
    const key = sha256Hex(token.reveal());
    const use = uses.get(key) ?? create(token);
    uses.delete(key);
    uses.set(key, use);
    const [oldest] = uses;
    if (uses.size > tokensKept && oldest) {
      oldest[1].client.close();
      uses.delete(oldest[0]);
    }
    return use;
  };
};

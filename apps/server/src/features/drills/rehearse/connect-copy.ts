import { Registry } from 'prom-client';
import { Secret } from '../../../kernel/secret.ts';
import { cdnUrlOf } from '../../../platform/client/urls.ts';
import { createGateway } from '../../../platform/gateway/connection.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import { createPlatformMetrics } from '../../../platform/metrics.ts';
import { createPlatform } from '../../../platform/platform.ts';
import type { BotPlatform } from '../../../platform/port.ts';

/** A token that the simulator takes for the one of this user. It opens nothing else. */
export const tokenOf = (userId: string): Secret =>
  new Secret(`${Buffer.from(userId).toString('base64')}.drill.${crypto.randomUUID()}`);

/** With limits and failures of its own: what happens in a drill holds up nobody outside of it. */
export const platformAt = (apiUrl: string, token: Secret): BotPlatform =>
  createPlatform({
    ...{ apiUrl, cdnUrl: cdnUrlOf(apiUrl) },
    metrics: createPlatformMetrics(new Registry()),
  }).bot(token);

type Connection = {
  apiUrl: string;
  token: Secret;
  platform: BotPlatform;
  onEvent(event: GuildEvent): void;
  signal: AbortSignal;
};

/** Connects to the gateway; resolves once the session is there. */
export const connectCopy = async ({ apiUrl, token, platform, onEvent, signal }: Connection) => {
  const { url } = await platform.readGateway({ signal });
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const connection = createGateway({ apiUrl }).connect({
    token,
    begin: {
      ...{ kind: 'identify', url, intents: ['GUILDS', 'GUILD_MODERATION'] },
      presence: { status: 'ONLINE', activityType: 'WATCHING', activityText: '' },
      mayIdentify: async () => true,
    },
    mayAct: () => !signal.aborted,
    onReady: resolve,
    onDispatch: ({ events }) => events.forEach(onEvent),
    onBroken: () => undefined,
  });
  const ended = connection.ended.then(() => {
    throw new Error('The copy did not let the bot connect');
  });
  await Promise.race([ready, ended]);
  // From now on it ends when the drill does.
  ended.catch(() => undefined);
  return connection;
};

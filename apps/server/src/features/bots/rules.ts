import { type BotConnection, neededIntents, type PrivilegedIntent } from '@holdfast/contract';
import type { GatewayRefusal } from './table.ts';

type RefusedBot = {
  refusedAt: Date | null;
  secretRefusedAt: Date | null;
  gatewayRefusal: GatewayRefusal | null;
};

const gatewayTroubles: Record<GatewayRefusal, string> = {
  INTENTS:
    'The platform refuses the events that this bot needs: switch on its privileged intents (in its application on the platform, under Bot), then switch the bot on again here',
  SIZE: 'This bot is in more servers than it can be connected for: take it out of some, then switch it on again here',
};

/** What the owner has to change before the bot works again; null where it works. */
export const describeTrouble = ({
  refusedAt,
  secretRefusedAt,
  gatewayRefusal,
}: RefusedBot): string | null => {
  if (refusedAt) return "The platform refuses this bot's token: send a new botToken";
  if (secretRefusedAt) {
    return "The platform refuses this bot's client secret, so nobody can verify: send a new clientSecret";
  }
  return gatewayRefusal && gatewayTroubles[gatewayRefusal];
};

/** Whether it can verify a signature at all: an Ed25519 key of 32 bytes, in hex. */
export const isPublicKeyUsable = (publicKey: string): boolean => /^[0-9a-f]{64}$/i.test(publicKey);

type ConnectableBot = RefusedBot & { isActive: boolean; connectedAt: Date | null };

/** What the API shows of a bot's connection to the gateway. */
export const describeConnection = (bot: ConnectableBot) => {
  const connection = connectionOf(bot);
  return { connection, connectedAt: connection === 'CONNECTED' ? bot.connectedAt : null };
};

const connectionOf = ({
  refusedAt,
  isActive,
  gatewayRefusal,
  connectedAt,
}: ConnectableBot): BotConnection => {
  if (refusedAt) return 'REFUSED';
  if (!isActive) return 'OFF';
  if (gatewayRefusal) return 'REFUSED';
  return connectedAt ? 'CONNECTED' : 'CONNECTING';
};

/** Both are empty where the intents of the bot are not known yet. */
export const describeIntents = (granted: PrivilegedIntent[] | null) => ({
  granted: granted ?? [],
  missing: granted ? neededIntents.filter((intent) => !granted.includes(intent)) : [],
});

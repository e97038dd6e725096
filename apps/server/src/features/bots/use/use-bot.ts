import type { PrivilegedIntent } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { type KeyRing, unlessBroken } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { onBehalfOf } from '../../../platform/client/breaker.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { OAuthClient } from '../../../platform/oauth/port.ts';
import type { BotPlatform, Platform } from '../../../platform/port.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { FactsByKind } from '../../alerts/rules.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { openCredential } from '../credentials/credentials.ts';
import {
  findBotToUse,
  markGatewayRefused,
  markSecretRefused,
  storeIntents,
  switchOffRefusedBot,
} from '../queries.ts';
import { askingOnce } from '../refused-guilds/ask-once.ts';
import type { GatewayRefusal } from '../table.ts';

export type BotDependencies = {
  db: Database;
  ring: KeyRing;
  platform: Platform;
  queue: Pick<Queue, 'enqueue'>;
};
/** `callerId` is the key or session whose request names a guild that may be refused. */
export type BotOwner = { botId: string; accountId: string; callerId?: string | undefined };

/** A bot cannot be used; the message says why, for its owner. */
export class BotUnusable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BotUnusable';
  }
}

type StoredBot = NonNullable<Awaited<ReturnType<typeof findBotToUse>>>;

/**
 * Calls the platform as a bot. The first time its token is refused the bot is switched off, so that no
 * process calls with it again until its owner sets a new one.
 */
export const useBot = async <Outcome>(
  dependencies: BotDependencies,
  owner: BotOwner,
  work: (bot: BotPlatform) => Promise<Outcome>,
): Promise<Outcome> => {
  const stored = await findBotToUse(dependencies.db, owner.botId, owner.accountId);
  if (!stored) throw new BotUnusable('The bot was deleted');
  if (!stored.isActive) throw new BotUnusable('The bot is switched off');
  try {
    const token = openToken(dependencies.ring, stored);
    const bot = askingOnce(dependencies.db, owner, dependencies.platform.bot(token));
    return await onBehalfOf(owner.accountId, () => work(bot));
  } catch (error) {
    if (error instanceof PlatformFailure && error.kind === 'botTokenDead') {
      await switchOffBot(dependencies, stored);
    }
    throw error;
  }
};

/** Reads which privileged intents a bot has, and stores them for its owner to see. */
export const readIntentsOf = async (
  { db }: Pick<BotDependencies, 'db'>,
  owner: BotOwner,
  bot: BotPlatform,
  signal: AbortSignal,
): Promise<PrivilegedIntent[]> => {
  const intents = await bot.readIntents({ signal });
  await storeIntents(db, owner, intents);
  return intents;
};

const openToken = (ring: KeyRing, bot: StoredBot) => {
  const token = unlessBroken(() => openCredential(ring, bot, 'botToken'));
  if (!token) throw new BotUnusable("The bot's token cannot be read");
  return token;
};

type RefusalDependencies = Pick<BotDependencies, 'db' | 'queue'>;

export const switchOffBot = ({ db, queue }: RefusalDependencies, bot: StoredBot): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await switchOffRefusedBot(tx, bot))) return;
    await raiseAlert(tx, { queue }, refusalOf(bot, 'TOKEN'));
    await recordAudit(tx, {
      accountId: bot.accountId,
      actor: systemActor,
      action: 'bot.deactivate',
      subject: { type: 'bot', id: bot.id },
      changes: { isActive: { from: true, to: false } },
    });
  });

const refusalOf = (
  { accountId, name }: Pick<StoredBot, 'accountId' | 'name'>,
  refused: FactsByKind['BOT_REFUSED']['refused'],
) => ({
  ...{ accountId, serverId: null, kind: 'BOT_REFUSED' as const },
  facts: { botName: name, refused },
});

/**
 * Works with people's tokens as the bot's application; undefined where the bot is deleted. The first time
 * its client secret is refused (`clientRefused`) it is marked, so that no process sends it again until
 * its owner changes it. The application of a bot that is switched off still works, so that the tokens of
 * its members stay valid.
 */
export const useBotClient = async <Outcome>(
  { db, ring, queue }: Omit<BotDependencies, 'platform'>,
  owner: BotOwner,
  work: (client: OAuthClient) => Promise<Outcome>,
): Promise<Outcome | undefined> => {
  const bot = await findBotToUse(db, owner.botId, owner.accountId);
  if (!bot) return undefined;
  if (bot.secretRefusedAt) throw new PlatformFailure('clientRefused');
  const client = {
    clientId: bot.clientId,
    clientSecret: openCredential(ring, bot, 'clientSecret'),
  };
  try {
    return await onBehalfOf(owner.accountId, () => work(client));
  } catch (error) {
    if (error instanceof PlatformFailure && error.kind === 'clientRefused') {
      await recordRefusedSecret({ db, queue }, bot);
    }
    throw error;
  }
};

const recordRefusedSecret = ({ db, queue }: RefusalDependencies, bot: StoredBot): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await markSecretRefused(tx, bot))) return;
    await raiseAlert(tx, { queue }, refusalOf(bot, 'CLIENT_SECRET'));
    await recordAudit(tx, {
      accountId: bot.accountId,
      actor: systemActor,
      action: 'bot.secret_refused',
      subject: { type: 'bot', id: bot.id },
    });
  });

/** The gateway refused the token: the bot is switched off, unless it has another one by now. */
export const refuseToken = async (
  { db, ring, queue }: Omit<BotDependencies, 'platform'>,
  owner: BotOwner,
  token: Secret,
): Promise<void> => {
  const bot = await findBotToUse(db, owner.botId, owner.accountId);
  const present = bot && unlessBroken(() => openCredential(ring, bot, 'botToken'));
  if (bot && present?.reveal() === token.reveal()) await switchOffBot({ db, queue }, bot);
};

/** The bot is not connected again until its owner switches it on or changes its token. */
export const refuseConnection = (
  { db, queue }: RefusalDependencies,
  owner: BotOwner,
  refusal: GatewayRefusal,
): Promise<void> =>
  db.transaction(async (tx) => {
    const bot = await markGatewayRefused(tx, owner, refusal);
    if (!bot) return;
    await raiseAlert(tx, { queue }, refusalOf({ ...owner, ...bot }, refusal));
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: systemActor,
      action: 'bot.connection_refused',
      subject: { type: 'bot', id: owner.botId },
      changes: { gatewayRefusal: { from: null, to: refusal } },
    });
  });

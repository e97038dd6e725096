import type { Database } from '../../db/connect.ts';
import { type KeyRing, SealBroken } from '../../kernel/seal.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import { onBehalfOf } from '../../platform/on-behalf-of.ts';
import type { BotPlatform, Platform } from '../../platform/port.ts';
import { recordAudit } from '../audit/queries.ts';
import { findBotToUse, switchOffRefusedBot } from './queries.ts';
import { openCredential } from './sealed.ts';

export type BotTools = { db: Database; ring: KeyRing; platform: Platform };
export type BotOwner = { botId: string; accountId: string };

/** Why a bot cannot be used at all, in words for its owner. */
export class BotUnusable extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'BotUnusable';
  }
}

type StoredBot = NonNullable<Awaited<ReturnType<typeof findBotToUse>>>;

/**
 * Works on the platform in a bot's name. The first time its token is refused the bot is switched
 * off, so that no process calls with it again until its owner gives it a new one.
 */
export const useBot = async <Outcome>(
  tools: BotTools,
  owner: BotOwner,
  work: (bot: BotPlatform) => Promise<Outcome>,
): Promise<Outcome> => {
  const stored = await findBotToUse(tools.db, owner.botId, owner.accountId);
  if (!stored) throw new BotUnusable('The bot was deleted');
  if (!stored.isActive) throw new BotUnusable('The bot is switched off');
  try {
    const bot = tools.platform.bot(openToken(tools.ring, stored));
    return await onBehalfOf(owner.accountId, () => work(bot));
  } catch (error) {
    if (error instanceof PlatformFailure && error.kind === 'botTokenDead') {
      await switchOff(tools.db, stored);
    }
    throw error;
  }
};

const openToken = (ring: KeyRing, bot: StoredBot) => {
  try {
    return openCredential(ring, bot, 'botToken');
  } catch (error) {
    if (error instanceof SealBroken) throw new BotUnusable("The bot's token cannot be read");
    throw error;
  }
};

export const switchOff = (db: Database, bot: StoredBot): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await switchOffRefusedBot(tx, bot))) return;
    await recordAudit(tx, {
      accountId: bot.accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'bot.deactivate',
      subject: { type: 'bot', id: bot.id },
      changes: { isActive: { from: true, to: false } },
    });
  });

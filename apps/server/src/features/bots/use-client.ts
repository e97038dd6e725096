import type { Database } from '../../db/connect.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import { onBehalfOf } from '../../platform/on-behalf-of.ts';
import type { OAuthClient } from '../../platform/port-oauth.ts';
import { recordAudit } from '../audit/queries.ts';
import { findBotToUse, parkRefusedSecret } from './queries.ts';
import { openCredential } from './sealed.ts';
import type { BotOwner } from './use-bot.ts';

type StoredBot = NonNullable<Awaited<ReturnType<typeof findBotToUse>>>;

/**
 * Works with people's tokens as the bot's application; undefined where the bot is gone. The first time
 * its client secret is refused (`clientRefused`) the secret is parked: no process sends it again until
 * its owner changes it. A bot that is switched off still has its application, and its members' tokens
 * are kept alive.
 */
export const useBotClient = async <Outcome>(
  { db, ring }: { db: Database; ring: KeyRing },
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
      await parkSecret(db, bot);
    }
    throw error;
  }
};

const parkSecret = (db: Database, bot: StoredBot): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await parkRefusedSecret(tx, bot))) return;
    await recordAudit(tx, {
      accountId: bot.accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'bot.secret_refused',
      subject: { type: 'bot', id: bot.id },
    });
  });

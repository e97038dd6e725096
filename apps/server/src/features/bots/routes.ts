import type { botEndpoints } from '@holdfast/contract';
import { violatedConstraint } from '../../db/failures.ts';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/placeholders.ts';
import { conflict, notFound, planRefuses } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { recordAudit } from '../audit/queries.ts';
import { changedFields } from '../audit/rules.ts';
import { lockUser } from '../users/queries.ts';
import { countBots, deleteBot, insertBot, listBots, lockBot, updateBot } from './queries.ts';
import { isNewCredential, replaceCredentials, sealCredentials } from './sealed.ts';

type Tools = { ring: KeyRing; picture: Picture };

const duplicate = () => conflict('You already have a bot with this clientId');

export const botHandlers = ({ ring, picture }: Tools): Handlers<typeof botEndpoints> => ({
  async listBots(db, { account }) {
    const bots = await listBots(db, account.userId);
    return bots.map((bot) => ({ ...bot, avatar: picture('avatar', bot.avatarUrl) }));
  },

  async createBot(tx, { account, actor, body }) {
    const { userId, plan, limits } = account;
    await lockUser(tx, userId);
    if ((await countBots(tx, userId)) >= limits.maxBots) {
      throw planRefuses(`The ${plan} plan's limit for bots (${limits.maxBots}) is reached`);
    }
    const id = newId();
    const sealed = sealCredentials(ring, { id, userId }, body);
    const { clientId, publicKey, redirectUri, name } = body;
    const bot = await insertBot(tx, {
      id,
      userId,
      clientId,
      publicKey,
      redirectUri,
      name,
      ...sealed,
    });
    if (!bot) throw duplicate();
    await recordAudit(tx, {
      userId,
      actor,
      action: 'bot.create',
      subject: { type: 'bot', id },
      changes: { clientId, publicKey, redirectUri, name },
    });
    return bot;
  },

  async updateBot(tx, { account, actor, params, body }) {
    const { userId } = account;
    const bot = await lockBot(tx, params.id, userId);
    if (!bot) throw notFound('Bot');
    const { botToken, clientSecret, ...shown } = body;
    const changes = {
      ...changedFields(bot, shown),
      ...changedSecrets(ring, bot, { botToken, clientSecret }),
    };
    if (Object.keys(changes).length === 0) {
      return { ...bot, avatar: picture('avatar', bot.avatarUrl) };
    }
    const sealed = replaceCredentials(ring, bot, { botToken, clientSecret });
    const updated = await updateBot(tx, bot.id, userId, { ...shown, ...sealed }).catch((error) => {
      throw violatedConstraint(error) === 'bots_client_id_of_user' ? duplicate() : error;
    });
    if (!updated) throw notFound('Bot');
    await recordAudit(tx, {
      userId,
      actor,
      action: 'bot.update',
      subject: { type: 'bot', id: bot.id },
      changes,
    });
    return { ...updated, avatar: picture('avatar', updated.avatarUrl) };
  },

  async deleteBot(tx, { account, actor, params }) {
    const { userId } = account;
    const bot = await deleteBot(tx, params.id, userId).catch((error) => {
      throw violatedConstraint(error) ? conflict('A server still uses this bot') : error;
    });
    if (!bot) throw notFound('Bot');
    await recordAudit(tx, {
      userId,
      actor,
      action: 'bot.delete',
      subject: { type: 'bot', id: bot.id },
      changes: { name: bot.name },
    });
    return { id: bot.id, deleted: true };
  },
});

/** That a secret changed is told; from what to what is not. */
const changedSecrets = (
  ring: KeyRing,
  bot: Parameters<typeof isNewCredential>[1],
  given: { botToken?: string; clientSecret?: string },
): Record<string, 'changed'> => {
  const columns = ['botToken', 'clientSecret'] as const;
  const changed = columns.filter((column) => {
    const value = given[column];
    return value !== undefined && isNewCredential(ring, bot, column, value);
  });
  return Object.fromEntries(changed.map((column) => [column, 'changed']));
};

import type { botEndpoints } from '@holdfast/contract';
import type { z } from 'zod';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { violatedConstraint } from '../../db/failures.ts';
import type { Account, Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/placeholders.ts';
import { conflict, invalidField, notFound, planRefuses } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { changedFields } from '../audit/rules.ts';
import { lockUser } from '../accounts/queries.ts';
import { checkBot } from './jobs.ts';
import {
  countBots,
  deleteBot,
  findBotToUse,
  insertBot,
  listBots,
  lockBot,
  updateBot,
} from './queries.ts';
import { isNewCredential, openCredential, replaceCredentials, sealCredentials } from './sealed.ts';
import type { TokenCheck, Verdict } from './token-check.ts';
import { troubleOf } from './trouble.ts';
import type { BotOwner } from './use-bot.ts';

type NewBot = z.output<(typeof botEndpoints)['createBot']['body']>;

type Tools = {
  ring: KeyRing;
  picture: Picture;
  queue: Pick<Queue, 'enqueue'>;
  checkToken: TokenCheck;
};

const duplicate = () => conflict('You already have a bot with this clientId');
const refusedToken = () => invalidField('botToken', 'The platform refuses this token');

export const botHandlers = ({
  ring,
  picture,
  queue,
  checkToken,
}: Tools): Handlers<typeof botEndpoints> => ({
  async listBots(db, { account }) {
    const bots = await listBots(db, account.accountId);
    return bots.map((bot) => recordOf(bot, picture));
  },

  createBot: {
    async askFirst(_db, { account: { accountId }, body: { botToken } }) {
      const verdict = await checkToken(accountId, new Secret(botToken));
      return async (tx, { account, actor, body }) => {
        if (verdict.kind === 'refused') throw refusedToken();
        const bot = await addBot(tx, ring, { account, body, verdict });
        await queueCheckUnlessAnswered(queue, tx, { botId: bot.id, accountId }, verdict);
        const { clientId, publicKey, redirectUri, name } = body;
        await recordAudit(tx, {
          accountId,
          actor,
          action: 'bot.create',
          subject: { type: 'bot', id: bot.id },
          changes: { clientId, publicKey, redirectUri, name },
        });
        return bot;
      };
    },
  },

  updateBot: {
    async askFirst(db, { account: { accountId }, params: { id: botId }, body }) {
      const token = await tokenToCheck(db, ring, { botId, accountId }, body);
      const verdict = token && (await checkToken(accountId, token));
      return async (tx, { actor }) => {
        const bot = await lockBot(tx, botId, accountId);
        if (!bot) throw notFound('Bot');
        if (verdict?.kind === 'refused') {
          throw body.botToken === undefined
            ? invalidField('isActive', "The platform refuses this bot's token: send a new botToken")
            : refusedToken();
        }
        const { botToken, clientSecret, ...shown } = { ...revivedBy(verdict, bot), ...body };
        const changes = {
          ...changedFields(bot, shown),
          ...changedSecrets(ring, bot, { botToken, clientSecret }),
        };
        if (Object.keys(changes).length === 0) {
          return recordOf(bot, picture);
        }
        const sealed = replaceCredentials(ring, bot, { botToken, clientSecret });
        const learned = verdict ? checkedColumns(verdict) : {};
        const updated = await updateBot(tx, bot.id, accountId, {
          ...shown,
          ...sealed,
          ...learned,
          ...(hasNewClient(changes) && { secretRefusedAt: null }),
        }).catch((error) => {
          throw violatedConstraint(error) === 'bots_client_id_of_user' ? duplicate() : error;
        });
        if (!updated) throw notFound('Bot');
        if (verdict) await queueCheckUnlessAnswered(queue, tx, { botId, accountId }, verdict);
        await recordAudit(tx, {
          accountId,
          actor,
          action: 'bot.update',
          subject: { type: 'bot', id: bot.id },
          changes,
        });
        return recordOf(updated, picture);
      };
    },
  },

  async deleteBot(tx, { account, actor, params }) {
    const { accountId } = account;
    const bot = await deleteBot(tx, params.id, accountId).catch((error) => {
      throw violatedConstraint(error) ? conflict('A server still uses this bot') : error;
    });
    if (!bot) throw notFound('Bot');
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'bot.delete',
      subject: { type: 'bot', id: bot.id },
      changes: { name: bot.name },
    });
    return { id: bot.id, deleted: true };
  },
});

type ShownBot = Awaited<ReturnType<typeof listBots>>[number];

const recordOf = <Bot extends ShownBot>(bot: Bot, picture: Picture) => ({
  ...bot,
  avatar: picture('avatar', bot.avatarUrl),
  trouble: troubleOf(bot),
});

/** A secret that was refused is as good as the client id it belongs to: a change of either is a new try. */
const hasNewClient = (changes: object): boolean =>
  'clientSecret' in changes || 'clientId' in changes;

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

const addBot = async (
  tx: Transaction,
  ring: KeyRing,
  { account, body, verdict }: { account: Account; body: NewBot; verdict: Verdict },
) => {
  const { accountId, plan, limits } = account;
  await lockUser(tx, accountId);
  if ((await countBots(tx, accountId)) >= limits.maxBots) {
    throw planRefuses(`The ${plan} plan's limit for bots (${limits.maxBots}) is reached`);
  }
  const id = newId();
  const sealed = sealCredentials(ring, { id, accountId }, body);
  const { clientId, publicKey, redirectUri, name } = body;
  const bot = await insertBot(tx, {
    ...{ id, accountId, clientId, publicKey, redirectUri, name },
    ...sealed,
    ...checkedColumns(verdict),
  });
  if (!bot) throw duplicate();
  return bot;
};

/** A new token is asked about, and the present one before a bot is switched on with it. */
const tokenToCheck = async (
  db: Queryable,
  ring: KeyRing,
  { botId, accountId }: BotOwner,
  { botToken, isActive }: { botToken?: string; isActive?: boolean },
): Promise<Secret | undefined> => {
  if (botToken !== undefined) return new Secret(botToken);
  if (isActive !== true) return undefined;
  const bot = await findBotToUse(db, botId, accountId);
  return bot && !bot.isActive ? openCredential(ring, bot, 'botToken') : undefined;
};

/** A bot that went off because its token was refused comes on with a good one. */
const revivedBy = (verdict: Verdict | undefined, bot: { refusedAt: Date | null }) =>
  verdict && bot.refusedAt ? { isActive: true } : {};

const checkedColumns = (verdict: Verdict) =>
  verdict.kind === 'good'
    ? { avatarUrl: verdict.avatarUrl, checkedAt: new Date(), refusedAt: null }
    : { refusedAt: null };

const queueCheckUnlessAnswered = async (
  queue: Tools['queue'],
  tx: Transaction,
  owner: BotOwner,
  verdict: Verdict,
): Promise<void> => {
  if (verdict.kind === 'unknown') await queue.enqueue(tx, checkBot, owner);
};

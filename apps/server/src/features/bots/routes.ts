import type { botEndpoints } from '@holdfast/contract';
import type { z } from 'zod';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { violatedConstraint } from '../../db/failures.ts';
import { markUnchanged } from '../../http/audited.ts';
import type { Account, Actor, Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/pages/placeholders.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, forbidden, invalidField, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Queue } from '../../queue/queue.ts';
import { lockAccount } from '../accounts/queries.ts';
import { recordAudit } from '../audit/queries.ts';
import { changedFields } from '../audit/rules.ts';
import {
  isNewCredential,
  openCredential,
  replaceCredentials,
  sealCredentials,
} from './credentials/credentials.ts';
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
import { describeConnection, describeIntents, describeTrouble } from './rules.ts';
import type { TokenChecker, TokenVerdict } from './use/check-token.ts';
import type { BotOwner } from './use/use-bot.ts';

type NewBot = z.output<(typeof botEndpoints)['createBot']['body']>;

type Dependencies = {
  ring: KeyRing;
  picture: Picture;
  queue: Pick<Queue, 'enqueue'>;
  clock: Clock;
  checkToken: TokenChecker;
  /** Tells the owner that the bot may not protect its servers any more. */
  followBot(
    tx: Transaction,
    bot: BotOwner & { name: string },
    change: { actor: Actor; by: 'BOT_OFF' | 'BOT_TOKEN' },
  ): Promise<void>;
};

const duplicate = () => conflict('You already have a bot with this clientId');
const refusedToken = () => invalidField('botToken', 'The platform refuses this token');

export const botHandlers = ({
  ring,
  picture,
  queue,
  clock,
  checkToken,
  followBot,
}: Dependencies): Handlers<typeof botEndpoints> => ({
  async listBots(db, { account }) {
    const bots = await listBots(db, account.accountId);
    return bots.map((bot) => presentBot(bot, picture));
  },

  createBot: {
    async askFirst(_db, { account: { accountId }, actor, body: { botToken } }) {
      const verdict = await checkToken({ accountId, actor }, new Secret(botToken));
      return async (tx, { account, body }) => {
        if (verdict.kind === 'refused') throw refusedToken();
        const bot = await addBot(tx, { ring, clock }, { account, body, verdict });
        await enqueueCheckIfUnknown(queue, tx, { botId: bot.id, accountId }, verdict);
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
    async askFirst(db, { account: { accountId }, actor, params: { id: botId }, body }) {
      const token = await tokenToCheck(db, ring, { botId, accountId }, body);
      const verdict = token && (await checkToken({ accountId, actor }, token));
      return async (tx) => {
        const bot = await lockBot(tx, botId, accountId);
        if (!bot) throw notFound('Bot');
        if (verdict?.kind === 'refused') {
          throw body.botToken === undefined
            ? invalidField('isActive', "The platform refuses this bot's token: send a new botToken")
            : refusedToken();
        }
        const { botToken, clientSecret, ...shown } = { ...reactivatedBy(verdict, bot), ...body };
        const secrets = changedSecrets(ring, bot, { botToken, clientSecret });
        // To switch on a bot that is on already means to connect it again.
        const isRetried = 'botToken' in secrets || shown.isActive === true;
        const refusal = isRetried ? { gatewayRefusal: null } : {};
        const changes = { ...changedFields(bot, { ...shown, ...refusal }), ...secrets };
        if (Object.keys(changes).length === 0) {
          markUnchanged(tx);
          return presentBot(bot, picture);
        }
        const sealed = replaceCredentials(ring, bot, { botToken, clientSecret });
        const checked = verdict ? checkedColumns(verdict, clock) : {};
        const updated = await updateBot(tx, bot.id, accountId, {
          ...shown,
          ...refusal,
          ...sealed,
          ...checked,
          ...(hasNewClient(changes) && { secretRefusedAt: null }),
          ...(hasNewIdentity(changes) && { identitySince: clock.now() }),
        }).catch((error) => {
          throw violatedConstraint(error) === 'bots_client_id_of_account' ? duplicate() : error;
        });
        if (!updated) throw notFound('Bot');
        if (verdict) await enqueueCheckIfUnknown(queue, tx, { botId, accountId }, verdict);
        const by = lossBy(bot, updated, secrets);
        if (by) await followBot(tx, { botId, accountId, name: bot.name }, { actor, by });
        await recordAudit(tx, {
          accountId,
          actor,
          action: 'bot.update',
          subject: { type: 'bot', id: bot.id },
          changes,
        });
        return presentBot(updated, picture);
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

const presentBot = <Bot extends ShownBot>(bot: Bot, picture: Picture) => ({
  ...bot,
  avatar: picture('avatar', bot.avatarUrl),
  ...describeConnection(bot),
  trouble: describeTrouble(bot),
  intents: describeIntents(bot.intents),
});

/** What may end the bot's watch over guilds; nothing where it was off already. */
const lossBy = (before: ShownBot, after: ShownBot, secrets: Record<string, 'changed'>) => {
  if (!before.isActive) return undefined;
  if (!after.isActive) return 'BOT_OFF' as const;
  return 'botToken' in secrets ? ('BOT_TOKEN' as const) : undefined;
};

/** A refused secret is tried again when it or its client id changes. */
const hasNewClient = (changes: object): boolean =>
  'clientSecret' in changes || 'clientId' in changes;

/** From now on it is another bot, or somebody else may be who uses it. */
const hasNewIdentity = (changes: object): boolean => 'botToken' in changes || 'clientId' in changes;

/** The audit log records that a secret changed, not its values. */
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
  { ring, clock }: Pick<Dependencies, 'ring' | 'clock'>,
  { account, body, verdict }: { account: Account; body: NewBot; verdict: TokenVerdict },
) => {
  const { accountId, plan, limits } = account;
  await lockAccount(tx, accountId);
  if ((await countBots(tx, accountId)) >= limits.maxBots) {
    throw forbidden(`The ${plan} plan's limit for bots (${limits.maxBots}) is reached`);
  }
  const id = newId();
  const sealed = sealCredentials(ring, { id, accountId }, body);
  const { clientId, publicKey, redirectUri, name } = body;
  const bot = await insertBot(tx, {
    ...{ id, accountId, clientId, publicKey, redirectUri, name },
    ...sealed,
    ...checkedColumns(verdict, clock),
  });
  if (!bot) throw duplicate();
  return bot;
};

/** A new token is checked, and the stored one before a bot is switched on with it. */
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

/** A bot that was switched off because its token was refused is switched on by a new one. */
const reactivatedBy = (verdict: TokenVerdict | undefined, bot: { refusedAt: Date | null }) =>
  verdict && bot.refusedAt ? { isActive: true } : {};

const checkedColumns = (verdict: TokenVerdict, clock: Clock) =>
  verdict.kind === 'good'
    ? {
        ...{ userId: verdict.userId, avatarUrl: verdict.avatarUrl },
        ...{ checkedAt: clock.now(), refusedAt: null },
      }
    : { userId: null, refusedAt: null };

const enqueueCheckIfUnknown = async (
  queue: Dependencies['queue'],
  tx: Transaction,
  owner: BotOwner,
  verdict: TokenVerdict,
): Promise<void> => {
  if (verdict.kind === 'unknown') await queue.enqueue(tx, checkBot, owner);
};

import { and, count, desc, eq, gt, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import type { SealedRows } from '../../db/sealed/queries.ts';
import { bots } from './table.ts';

const { id, accountId, clientId, name, avatarUrl, status, activityType, activityText } = bots;
const { isActive, publicKey, redirectUri, botToken, clientSecret, createdAt, updatedAt } = bots;

/** What may be shown of a bot. */
const shownFields = {
  id,
  clientId,
  name,
  avatarUrl,
  status,
  activityType,
  activityText,
  isActive,
  createdAt,
  updatedAt,
  refusedAt: bots.refusedAt,
  secretRefusedAt: bots.secretRefusedAt,
};
const credentialFields = { id, accountId, botToken, clientSecret };

const ofOwner = (botId: string, ownerId: string) => and(eq(id, botId), eq(accountId, ownerId));

export const listBots = (db: Queryable, ownerId: string) =>
  db.select(shownFields).from(bots).where(eq(accountId, ownerId)).orderBy(desc(createdAt), desc(id));

export const countBots = async (db: Queryable, ownerId: string): Promise<number> => {
  const [counted] = await db.select({ total: count() }).from(bots).where(eq(accountId, ownerId));
  return counted?.total ?? 0;
};

/** Undefined where the account already has a bot of that client id. */
export const insertBot = async (tx: Transaction, row: typeof bots.$inferInsert) => {
  const [bot] = await tx.insert(bots).values(row).onConflictDoNothing().returning(shownFields);
  return bot;
};

/** The whole bot, held against other changes; for an update to compare with. */
export const lockBot = async (tx: Transaction, botId: string, ownerId: string) => {
  const [bot] = await tx
    .select({
      ...shownFields,
      ...credentialFields,
      publicKey,
      redirectUri,
      sealKeyId: bots.sealKeyId,
    })
    .from(bots)
    .where(ofOwner(botId, ownerId))
    .for('update');
  return bot;
};

/** What is needed to speak to the platform in its name. */
export const findBotToUse = async (db: Queryable, botId: string, ownerId: string) => {
  const [bot] = await db
    .select({ ...credentialFields, clientId, isActive, secretRefusedAt: bots.secretRefusedAt })
    .from(bots)
    .where(ofOwner(botId, ownerId));
  return bot;
};

export const updateBot = async (
  tx: Transaction,
  botId: string,
  ownerId: string,
  changes: Partial<typeof bots.$inferInsert>,
) => {
  const [bot] = await tx
    .update(bots)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(ofOwner(botId, ownerId))
    .returning(shownFields);
  return bot;
};

export const deleteBot = async (tx: Transaction, botId: string, ownerId: string) => {
  const [bot] = await tx.delete(bots).where(ofOwner(botId, ownerId)).returning({ id, name });
  return bot;
};

/** Whether the caller has this bot; it cannot be deleted until the transaction ends. */
export const holdBot = async (
  tx: Transaction,
  botId: string,
  ownerId: string,
): Promise<boolean> => {
  const found = await tx.select({ id }).from(bots).where(ofOwner(botId, ownerId)).for('key share');
  return found.length > 0;
};

export const sealedBots: SealedRows = { from: bots, keyId: sql`${bots.sealKeyId}` };

export const sampleBotsSealedUnder = (db: Queryable, keyId: string, most: number) =>
  db.select(credentialFields).from(bots).where(eq(bots.sealKeyId, keyId)).limit(most);

/** In the order of their ids, after the last one seen. */
export const lockBotsSealedElsewhere = (
  tx: Transaction,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  tx
    .select(credentialFields)
    .from(bots)
    .where(and(ne(bots.sealKeyId, sealKeyId), gt(id, after)))
    .orderBy(id)
    .limit(most)
    .for('update', { skipLocked: true });

/** Not a change of the bot as its owner sees it: `updatedAt` stays. */
export const storeResealed = async (
  tx: Transaction,
  bot: { id: string; accountId: string },
  sealed: { botToken: string; clientSecret: string; sealKeyId: string },
): Promise<void> => {
  await tx.update(bots).set(sealed).where(ofOwner(bot.id, bot.accountId));
};

/** Active bots that were not looked at since `before`, those never looked at first. */
export const listBotsToCheck = (db: Queryable, before: Date, most: number) =>
  db
    .select({ botId: id, accountId })
    .from(bots)
    .where(and(isActive, or(isNull(bots.checkedAt), lt(bots.checkedAt, before))))
    .orderBy(sql`${bots.checkedAt} nulls first`)
    .limit(most);

/** The sealed text says which token was asked about: a newer one is not touched by an old answer. */
const withToken = (bot: { id: string; accountId: string; botToken: string }) =>
  and(ofOwner(bot.id, bot.accountId), eq(botToken, bot.botToken));

type CheckedBot = Parameters<typeof withToken>[0];

export const storeGoodToken = async (
  db: Queryable,
  bot: CheckedBot,
  avatar: string | null,
): Promise<void> => {
  await db.update(bots).set({ avatarUrl: avatar, checkedAt: sql`now()` }).where(withToken(bot));
};

export const storeUnansweredCheck = async (db: Queryable, bot: CheckedBot): Promise<void> => {
  await db.update(bots).set({ checkedAt: sql`now()` }).where(withToken(bot));
};

/** False where it was off already, or has another token by now. */
export const switchOffRefusedBot = async (tx: Transaction, bot: CheckedBot): Promise<boolean> => {
  const off = await tx
    .update(bots)
    .set({ isActive: false, refusedAt: sql`now()`, checkedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(withToken(bot), isActive))
    .returning({ id });
  return off.length > 0;
};

/** False where it was parked already, or has another secret by now. */
export const parkRefusedSecret = async (
  tx: Transaction,
  bot: { id: string; accountId: string; clientId: string; clientSecret: string },
): Promise<boolean> => {
  const isSame = and(eq(clientId, bot.clientId), eq(clientSecret, bot.clientSecret));
  const parked = await tx
    .update(bots)
    .set({ secretRefusedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(ofOwner(bot.id, bot.accountId), isSame, isNull(bots.secretRefusedAt)))
    .returning({ id });
  return parked.length > 0;
};

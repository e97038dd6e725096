import { and, count, desc, eq, gt, ne, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { bots } from './table.ts';

const { id, userId, clientId, name, avatarUrl, status, activityType, activityText } = bots;
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
};
const credentialFields = { id, userId, botToken, clientSecret };

const ofOwner = (botId: string, ownerId: string) => and(eq(id, botId), eq(userId, ownerId));

export const listBots = (db: Queryable, ownerId: string) =>
  db.select(shownFields).from(bots).where(eq(userId, ownerId)).orderBy(desc(createdAt), desc(id));

export const countBots = async (db: Queryable, ownerId: string): Promise<number> => {
  const [counted] = await db.select({ total: count() }).from(bots).where(eq(userId, ownerId));
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

export const listSealKeyIds = async (db: Queryable): Promise<string[]> => {
  const found = await db.selectDistinct({ keyId: bots.sealKeyId }).from(bots);
  return found.map(({ keyId }) => keyId);
};

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
  bot: { id: string; userId: string },
  sealed: { botToken: string; clientSecret: string; sealKeyId: string },
): Promise<void> => {
  await tx.update(bots).set(sealed).where(ofOwner(bot.id, bot.userId));
};

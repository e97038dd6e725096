import type { PrivilegedIntent } from '@holdfast/contract';
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../db/connect.ts';
import { countRows } from '../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { isUnderOtherKey, type SealedRows } from '../../db/sealed/queries.ts';
import { bots, type GatewayRefusal } from './table.ts';

const { id, accountId, clientId, name, avatarUrl, status, activityType, activityText } = bots;
const { isActive, publicKey, redirectUri, botToken, clientSecret, createdAt, updatedAt } = bots;

/** What the API shows of a bot. */
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
  intents: bots.intents,
  connectedAt: bots.connectedAt,
  gatewayRefusal: bots.gatewayRefusal,
};
const credentialFields = { id, accountId, botToken, clientSecret };

const ofOwner = (botId: string, ownerId: string) => and(eq(id, botId), eq(accountId, ownerId));

export const listBots = (db: Queryable, ownerId: string) =>
  db
    .select(shownFields)
    .from(bots)
    .where(eq(accountId, ownerId))
    .orderBy(desc(createdAt), desc(id));

export const countBots = (db: Queryable, ownerId: string): Promise<number> =>
  countRows(db, bots, eq(accountId, ownerId));

/** Undefined where the account already has a bot of that client id. */
export const insertBot = (tx: Transaction, row: typeof bots.$inferInsert) =>
  firstRow(tx.insert(bots).values(row).onConflictDoNothing().returning(shownFields));

/** The whole bot, locked against other changes, for an update to compare with. */
export const lockBot = (tx: Transaction, botId: string, ownerId: string) =>
  firstRow(
    tx
      .select({
        ...shownFields,
        ...credentialFields,
        publicKey,
        redirectUri,
        sealKeyId: bots.sealKeyId,
      })
      .from(bots)
      .where(ofOwner(botId, ownerId))
      .for('update'),
  );

/** What is needed to call the platform as the bot. */
export const findBotToUse = (db: Queryable, botId: string, ownerId: string) =>
  firstRow(
    db
      .select({
        ...credentialFields,
        name,
        clientId,
        isActive,
        secretRefusedAt: bots.secretRefusedAt,
      })
      .from(bots)
      .where(ofOwner(botId, ownerId)),
  );

/** What its owner has told of the application. */
export const findBotToSetUp = (db: Queryable, botId: string, ownerId: string) =>
  firstRow(
    db.select({ clientId, publicKey, redirectUri }).from(bots).where(ofOwner(botId, ownerId)),
  );

/** Null until they were read. */
export const findIntents = async (
  db: Queryable,
  { botId, accountId }: { botId: string; accountId: string },
): Promise<PrivilegedIntent[] | null> =>
  (await firstRow(db.select({ intents: bots.intents }).from(bots).where(ofOwner(botId, accountId))))
    ?.intents ?? null;

export const updateBot = (
  tx: Transaction,
  botId: string,
  ownerId: string,
  changes: Partial<typeof bots.$inferInsert>,
) =>
  firstRow(
    tx
      .update(bots)
      .set({ ...changes, updatedAt: sql`now()` })
      .where(ofOwner(botId, ownerId))
      .returning(shownFields),
  );

export const deleteBot = (tx: Transaction, botId: string, ownerId: string) =>
  firstRow(tx.delete(bots).where(ofOwner(botId, ownerId)).returning({ id, name }));

/** Whether the account has this bot; it cannot be deleted until the transaction ends. */
export const holdBot = (tx: Transaction, botId: string, ownerId: string) =>
  hasRows(tx.select({ id }).from(bots).where(ofOwner(botId, ownerId)).for('key share'));

export const sealedBots: SealedRows = { from: bots, keyId: sql`${bots.sealKeyId}` };

export const sampleBotsSealedUnder = (db: Queryable, keyId: string, most: number) =>
  db.select(credentialFields).from(bots).where(eq(bots.sealKeyId, keyId)).limit(most);

/** Bots that are sealed under another master key than this one, in the order of their ids. */
export const lockBotsToRewrap = (
  tx: Transaction,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  tx
    .select(credentialFields)
    .from(bots)
    .where(and(isUnderOtherKey(bots.sealKeyId, sealKeyId), gt(id, after)))
    .orderBy(id)
    .limit(most)
    .for('no key update');

/** Not a change that the owner made, so `updatedAt` stays. */
export const storeResealed = async (
  tx: Transaction,
  bot: { id: string; accountId: string },
  sealed: { botToken: string; clientSecret: string; sealKeyId: string },
) => {
  await tx.update(bots).set(sealed).where(ofOwner(bot.id, bot.accountId));
};

export const countActiveBots = (db: Queryable): Promise<number> =>
  countRows(db, bots, eq(isActive, true));

/** Any active ones: each time others. */
export const listBotsToSample = (db: Queryable, most: number) =>
  db
    .select(credentialFields)
    .from(bots)
    .where(eq(isActive, true))
    .orderBy(sql`random()`)
    .limit(most);

/** Whose token the platform refused, and which the gateway does not connect. */
export const countRefusedBots = async (
  db: Queryable,
): Promise<{ tokens: number; intents: number }> => ({
  tokens: await countRows(db, bots, isNotNull(bots.refusedAt)),
  intents: await countRows(db, bots, isNotNull(bots.gatewayRefusal)),
});

/** Active bots that were not checked since `before`, those never checked first. */
export const listBotsToCheck = (db: Queryable, before: Date, most: number) =>
  db
    .select({ botId: id, accountId })
    .from(bots)
    .where(and(isActive, or(isNull(bots.checkedAt), lt(bots.checkedAt, before))))
    .orderBy(sql`${bots.checkedAt} nulls first`)
    .limit(most);

/** Matches only the token that was checked: a late answer does not change a newer one. */
const withToken = (bot: { id: string; accountId: string; botToken: string }) =>
  and(ofOwner(bot.id, bot.accountId), eq(botToken, bot.botToken));

type CheckedBot = Parameters<typeof withToken>[0];

export const storeGoodToken = async (
  db: Queryable,
  bot: CheckedBot,
  seen: { userId: string; avatarUrl: string | null },
) => {
  await db
    .update(bots)
    .set({ userId: seen.userId, avatarUrl: seen.avatarUrl, checkedAt: sql`now()` })
    .where(withToken(bot));
  markChanged(db, bot, 'bots');
};

/** Not a change that the owner made, so `updatedAt` stays. */
export const storeIntents = async (
  db: Queryable,
  owner: { botId: string; accountId: string },
  intents: PrivilegedIntent[],
) => {
  await db.update(bots).set({ intents }).where(ofOwner(owner.botId, owner.accountId));
  markChanged(db, owner, 'bots');
};

export const storeUnansweredCheck = async (db: Queryable, bot: CheckedBot) => {
  await db.update(bots).set({ checkedAt: sql`now()` }).where(withToken(bot));
};

/** False where it was off already, or has another token by now. */
export const switchOffRefusedBot = (tx: Transaction, bot: CheckedBot) =>
  hasRows(
    tx
      .update(bots)
      .set({ isActive: false, refusedAt: sql`now()`, checkedAt: sql`now()`, updatedAt: sql`now()` })
      .where(and(withToken(bot), isActive))
      .returning({ id }),
  );

/** False where it was marked already, or has another secret by now. */
export const markSecretRefused = (
  tx: Transaction,
  bot: { id: string; accountId: string; clientId: string; clientSecret: string },
) => {
  const isSame = and(eq(clientId, bot.clientId), eq(clientSecret, bot.clientSecret));
  return hasRows(
    tx
      .update(bots)
      .set({ secretRefusedAt: sql`now()`, updatedAt: sql`now()` })
      .where(and(ofOwner(bot.id, bot.accountId), isSame, isNull(bots.secretRefusedAt)))
      .returning({ id }),
  );
};

type Owner = { botId: string; accountId: string };

/** Not changes that the owner made, so `updatedAt` stays. */
export const markConnected = async (tx: Transaction, owner: Owner) => {
  await tx
    .update(bots)
    .set({ connectedAt: sql`coalesce(${bots.connectedAt}, now())` })
    .where(ofOwner(owner.botId, owner.accountId));
  markChanged(tx, owner, 'bots');
};

export const markDisconnected = async (tx: Transaction, owners: readonly Owner[]) => {
  if (owners.length === 0) return;
  const ofOwners = and(
    inArray(
      id,
      owners.map(({ botId }) => botId),
    ),
    inArray(accountId, [...new Set(owners.map((owner) => owner.accountId))]),
  );
  const disconnected = await tx
    .update(bots)
    .set({ connectedAt: null })
    .where(and(ofOwners, isNotNull(bots.connectedAt)))
    .returning({ accountId });
  for (const owner of disconnected) markChanged(tx, owner, 'bots');
};

/** The bot's name; undefined where it was refused already, or is switched off. */
export const markGatewayRefused = (tx: Transaction, owner: Owner, refusal: GatewayRefusal) =>
  firstRow(
    tx
      .update(bots)
      .set({ gatewayRefusal: refusal, connectedAt: null, updatedAt: sql`now()` })
      .where(and(ofOwner(owner.botId, owner.accountId), isActive, isNull(bots.gatewayRefusal)))
      .returning({ name }),
  );

export const deleteBotsOfAccount = async (tx: Transaction, ownerId: string) => {
  await tx.delete(bots).where(eq(accountId, ownerId));
};

import {
  and,
  asc,
  eq,
  gt,
  inArray,
  isNull,
  lt,
  notExists,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { isUnderOtherKey, type SealedRows } from '../../db/sealed/queries.ts';
import { memberTokens } from './table.ts';

const { id, accountId, botId, platformId, generation } = memberTokens;

const rowFields = {
  id,
  accountId,
  botId,
  platformId,
  accessToken: memberTokens.accessToken,
  refreshToken: memberTokens.refreshToken,
  scopes: memberTokens.scopes,
  expiresAt: memberTokens.expiresAt,
  refreshingUntil: memberTokens.refreshingUntil,
  /** When the pair was stored: neither a claim nor a new seal changes it. */
  updatedAt: memberTokens.updatedAt,
  generation,
};

/** One person, who gave their token to one bot of one account. */
export type TokenOwner = { accountId: string; botId: string; platformId: string };
export type TokenRow = NonNullable<Awaited<ReturnType<typeof findTokens>>>;

const ofOwner = (owner: TokenOwner) =>
  and(eq(accountId, owner.accountId), eq(botId, owner.botId), eq(platformId, owner.platformId));
const sameGeneration = (row: TokenRow) =>
  and(eq(id, row.id), eq(accountId, row.accountId), eq(generation, row.generation));
const isUnclaimed = or(
  isNull(memberTokens.refreshingUntil),
  lt(memberTokens.refreshingUntil, sql`now()`),
);
const inMs = (ms: number): SQL => sql`now() + make_interval(secs => ${ms / 1000})`;

export const findTokens = (db: Queryable, owner: TokenOwner) =>
  firstRow(db.select(rowFields).from(memberTokens).where(ofOwner(owner)));

/** Returns the row's id, which the seal is bound to. */
export const lockTokens = async (tx: Transaction, owner: TokenOwner) => {
  const [row] = await tx.select({ id }).from(memberTokens).where(ofOwner(owner)).for('update');
  return row?.id;
};

type NewTokens = Omit<typeof memberTokens.$inferInsert, 'generation'>;

/** Newer tokens replace older ones; a refresh of those that is under way is then discarded. */
export const putTokens = async (tx: Transaction, row: NewTokens): Promise<boolean> => {
  const {
    id: _id,
    accountId: _accountId,
    botId: _botId,
    platformId: _platformId,
    ...changes
  } = row;
  const put = await tx
    .insert(memberTokens)
    .values(row)
    .onConflictDoUpdate({
      target: [botId, platformId],
      set: {
        ...changes,
        refreshingUntil: null,
        generation: sql`${generation} + 1`,
        updatedAt: sql`now()`,
      },
      // The seal is bound to the row it was made for.
      setWhere: eq(id, row.id),
    })
    .returning({ id });
  return put.length > 0;
};

type FirstTokens = Omit<NewTokens, 'accountId' | 'botId'>;

/**
 * Skips people who have tokens of this bot; returns how many were stored. The rows are sent as one
 * value, since thousands of parameters cost more than the rows.
 */
export const putFirstTokens = async (
  tx: Transaction,
  owner: Omit<TokenOwner, 'platformId'>,
  rows: FirstTokens[],
): Promise<number> => {
  const put = await tx.execute(sql`
    insert into ${memberTokens} (id, account_id, bot_id, platform_id, access_token, refresh_token,
      seal_key_id, scopes, expires_at, refresh_at)
    select id, ${owner.accountId}, ${owner.botId}, "platformId", "accessToken", "refreshToken",
      "sealKeyId", scopes, "expiresAt", "refreshAt"
    -- As text: a parameter of type json would be encoded twice.
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
      id uuid, "platformId" text, "accessToken" text, "refreshToken" text, "sealKeyId" text,
      scopes jsonb, "expiresAt" timestamptz, "refreshAt" timestamptz)
    on conflict (bot_id, platform_id) do nothing
    returning id`);
  return put.length;
};

/** Undefined if another process holds the claim, or the row has changed. The claim expires. */
export const claimRefresh = async (db: Queryable, row: TokenRow, claimMs: number) => {
  const [claimed] = await db
    .update(memberTokens)
    .set({ refreshingUntil: inMs(claimMs), generation: sql`${generation} + 1` })
    .where(and(sameGeneration(row), isUnclaimed))
    .returning(rowFields);
  return claimed;
};

/** Only the last claim may store. */
export const storeRefreshed = async (
  tx: Transaction,
  row: TokenRow,
  changes: Partial<NewTokens>,
): Promise<boolean> => {
  const stored = await tx
    .update(memberTokens)
    .set({
      ...changes,
      refreshingUntil: null,
      // A process that read the row while it was claimed must not take it for the one it read.
      generation: sql`${generation} + 1`,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(sameGeneration(row))
    .returning({ id });
  return stored.length > 0;
};

/** False if the row has changed. */
export const postponeRefresh = (db: Queryable, row: TokenRow, ms: number): Promise<boolean> =>
  hasRows(
    db
      .update(memberTokens)
      .set({ refreshingUntil: null, refreshAt: inMs(ms), generation: sql`${generation} + 1` })
      .where(sameGeneration(row))
      .returning({ id }),
  );

/** All that are due, spread over the time after the pause. */
export const postponeRefreshesOfBot = async (
  db: Queryable,
  owner: Pick<TokenOwner, 'accountId' | 'botId'>,
  ms: number,
): Promise<void> => {
  await db
    .update(memberTokens)
    .set({ refreshAt: sql`now() + make_interval(secs => ${ms / 1000} * (1 + random()))` })
    .where(
      and(
        eq(accountId, owner.accountId),
        eq(botId, owner.botId),
        lt(memberTokens.refreshAt, sql`now()`),
        isUnclaimed,
      ),
    );
};

export const deleteRefused = (tx: Transaction, row: TokenRow): Promise<boolean> =>
  hasRows(tx.delete(memberTokens).where(sameGeneration(row)).returning({ id }));

/** Of any generation: the person, or the platform, ended the consent. */
export const deleteTokens = (tx: Transaction, owner: TokenOwner) =>
  firstRow(tx.delete(memberTokens).where(ofOwner(owner)).returning(rowFields));

/** Deletes those of the tokens for which `needed`, a subquery about `memberTokens`, has no row. */
export const deleteTokensUnless = async (
  tx: Transaction,
  tokenIds: string[],
  needed: SQLWrapper,
): Promise<void> => {
  await tx.delete(memberTokens).where(and(inArray(id, tokenIds), notExists(needed)));
};

/** Without the tokens themselves. */
export const listTokensOfPerson = (db: Queryable, ofPlatformId: string) =>
  db
    .select({ accountId, botId, platformId, scopes: memberTokens.scopes })
    .from(memberTokens)
    .where(eq(platformId, ofPlatformId))
    .orderBy(accountId, botId);

export const listTokensToRefresh = (db: Queryable, most: number) =>
  db
    .select(rowFields)
    .from(memberTokens)
    .where(and(lt(memberTokens.refreshAt, sql`now()`), isUnclaimed))
    .orderBy(asc(memberTokens.refreshAt))
    .limit(most);

export const sealedTokens: SealedRows = {
  from: memberTokens,
  keyId: sql`${memberTokens.sealKeyId}`,
};

const waiting = sql`name = 'vault.revoke' and state < 'completed'`;

/** Tokens in the queue that are to be revoked (see `sealRevocation`). */
export const sealedRevocations: SealedRows = {
  from: sql`(select data ->> 'sealed' as sealed from pgboss.job where ${waiting}) as revocations`,
  keyId: sql`split_part(sealed, '.', 2)`,
};

export const sampleTokensSealedUnder = (db: Queryable, keyId: string, most: number) =>
  db.select(rowFields).from(memberTokens).where(eq(memberTokens.sealKeyId, keyId)).limit(most);

export const lockTokensSealedElsewhere = (
  tx: Transaction,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  tx
    .select(rowFields)
    .from(memberTokens)
    .where(and(isUnderOtherKey(memberTokens.sealKeyId, sealKeyId), gt(id, after)))
    .orderBy(id)
    .limit(most)
    .for('no key update');

/** The same pair under another key, so neither its generation nor its date changes. */
export const storeResealed = async (
  tx: Transaction,
  row: TokenRow,
  sealed: { accessToken: string; refreshToken: string; sealKeyId: string },
): Promise<void> => {
  await tx
    .update(memberTokens)
    .set(sealed)
    .where(and(eq(id, row.id), eq(accountId, row.accountId)));
};

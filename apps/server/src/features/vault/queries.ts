import { and, asc, eq, gt, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import type { SealedRows } from '../../db/sealed/queries.ts';
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
  /** Of the pair: neither a claim nor another seal changes it. */
  updatedAt: memberTokens.updatedAt,
  generation,
};

/** Whose token it is: one person's, given to one bot of one account. */
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

export const findTokens = async (db: Queryable, owner: TokenOwner) => {
  const [row] = await db.select(rowFields).from(memberTokens).where(ofOwner(owner));
  return row;
};

/** The row's id, held until the transaction ends: the seal is bound to it. */
export const lockTokens = async (tx: Transaction, owner: TokenOwner) => {
  const [row] = await tx.select({ id }).from(memberTokens).where(ofOwner(owner)).for('update');
  return row?.id;
};

type NewTokens = Omit<typeof memberTokens.$inferInsert, 'generation'>;

/** Newer tokens take the place of older ones; a refresh that is under way then counts for nothing. */
export const putTokens = async (tx: Transaction, row: NewTokens): Promise<boolean> => {
  const { id: _id, accountId: _userId, botId: _botId, platformId: _platformId, ...changes } = row;
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
 * Of people who gave this bot none before; who did keeps those. Gives how many were put. The rows
 * travel as one value: thousands of parameters cost more than the rows.
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
    -- By way of text: a parameter of type json would be encoded a second time.
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
      id uuid, "platformId" text, "accessToken" text, "refreshToken" text, "sealKeyId" text,
      scopes jsonb, "expiresAt" timestamptz, "refreshAt" timestamptz)
    on conflict (bot_id, platform_id) do nothing
    returning id`);
  return put.length;
};

/** Undefined where somebody else is at it, or the row has changed. The claim ends by itself. */
export const claimRefresh = async (db: Queryable, row: TokenRow, claimMs: number) => {
  const [claimed] = await db
    .update(memberTokens)
    .set({ refreshingUntil: inMs(claimMs), generation: sql`${generation} + 1` })
    .where(and(sameGeneration(row), isUnclaimed))
    .returning(rowFields);
  return claimed;
};

/** Only the one who claimed it last may store. */
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
      // Whoever saw the row while it was claimed must not take it for the one they saw.
      generation: sql`${generation} + 1`,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(sameGeneration(row))
    .returning({ id });
  return stored.length > 0;
};

/** To be tried again later. */
export const putOffRefresh = async (db: Queryable, row: TokenRow, ms: number): Promise<void> => {
  await db
    .update(memberTokens)
    .set({ refreshingUntil: null, refreshAt: inMs(ms), generation: sql`${generation} + 1` })
    .where(sameGeneration(row));
};

/** Those of the bot whose time has come, spread over what comes after the pause. */
export const putOffBot = async (
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

export const deleteRefused = async (tx: Transaction, row: TokenRow): Promise<boolean> => {
  const gone = await tx.delete(memberTokens).where(sameGeneration(row)).returning({ id });
  return gone.length > 0;
};

/** Whatever generation: the person, or the platform, said that it is over. */
export const deleteTokens = async (tx: Transaction, owner: TokenOwner) => {
  const [gone] = await tx.delete(memberTokens).where(ofOwner(owner)).returning(rowFields);
  return gone;
};

/** What a person gave to whom, without the tokens. */
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

/** Tokens on their way to be revoked, which wait in the queue (see `sealFarewell`). */
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
    .where(and(ne(memberTokens.sealKeyId, sealKeyId), gt(id, after)))
    .orderBy(id)
    .limit(most)
    .for('update', { skipLocked: true });

/** The same pair under another key: neither its generation nor its date changes. */
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

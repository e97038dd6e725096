import type { BlockReason } from '@holdfast/contract';
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { SealedRows } from '../../../db/sealed/queries.ts';
import { memberTokens } from '../../vault/table.ts';
import { passages } from '../table.ts';

const { id, accountId, serverId, botId, platformId, expiresAt, accessToken, outcome } = passages;

const passageMs = 30 * 60 * 1000;
/** Longer than the platform is ever gone; by then its own expiry is the better hope. */
const longestKeptMs = 24 * 60 * 60 * 1000;

type Passage = { id: string; accountId: string };
const ofOwner = (passage: Passage) => and(eq(id, passage.id), eq(accountId, passage.accountId));

type NewPassage = Omit<
  typeof passages.$inferInsert,
  'expiresAt' | 'hasPassedCaptcha' | 'outcome' | 'blockReason'
>;

export const insertPassage = async (tx: Transaction, row: NewPassage): Promise<void> => {
  const until = sql<Date>`now() + make_interval(secs => ${passageMs / 1000})`;
  await tx.insert(passages).values({ ...row, expiresAt: until });
};

/** The newest of this browser at this server that is not over. */
export const findPassage = async (db: Queryable, browserHash: string, ofServerId: string) => {
  const [passage] = await db
    .select()
    .from(passages)
    .where(
      and(
        eq(serverId, ofServerId),
        eq(passages.browserHash, browserHash),
        gt(expiresAt, sql`now()`),
      ),
    )
    .orderBy(desc(expiresAt), desc(id))
    .limit(1);
  return passage;
};

export type StoredPassage = NonNullable<Awaited<ReturnType<typeof findPassage>>>;

export const storePassedCaptcha = async (tx: Transaction, passage: Passage): Promise<void> => {
  await tx.update(passages).set({ hasPassedCaptcha: true }).where(ofOwner(passage));
};

/** False where it was decided already: of two who ask at once, one is heard. */
export const settlePassage = async (
  tx: Transaction,
  passage: Passage,
  decided: { outcome: 'verified' } | { outcome: 'blocked'; blockReason: BlockReason },
): Promise<boolean> => {
  const settled = await tx
    .update(passages)
    .set(decided)
    .where(and(ofOwner(passage), isNull(outcome)))
    .returning({ id });
  return settled.length > 0;
};

const tokenFields = {
  id,
  accountId,
  botId,
  platformId,
  accessToken,
  refreshToken: passages.refreshToken,
};

/** Undefined where nothing is left to give back. */
export const findPassageTokens = async (db: Queryable, passage: Passage) => {
  const [found] = await db
    .select(tokenFields)
    .from(passages)
    .where(and(ofOwner(passage), isNotNull(accessToken)));
  return found;
};

export type PassageTokens = NonNullable<Awaited<ReturnType<typeof findPassageTokens>>>;

export const forgetPassageTokens = async (db: Queryable, passage: Passage): Promise<void> => {
  await db
    .update(passages)
    .set({ accessToken: null, refreshToken: null, sealKeyId: null })
    .where(ofOwner(passage));
};

/**
 * Whether what the person agreed to is needed beyond this passage. On the platform all tokens of one
 * person and one bot are one consent: giving back one of them ends the others as well.
 */
export const isConsentNeeded = async (db: Queryable, passage: PassageTokens): Promise<boolean> => {
  const [kept] = await db
    .select({ id: memberTokens.id })
    .from(memberTokens)
    .where(
      and(
        eq(memberTokens.accountId, passage.accountId),
        eq(memberTokens.botId, passage.botId),
        eq(memberTokens.platformId, passage.platformId),
      ),
    )
    .limit(1);
  if (kept) return true;
  const [underWay] = await db
    .select({ id })
    .from(passages)
    .where(
      and(
        eq(platformId, passage.platformId),
        eq(botId, passage.botId),
        ne(id, passage.id),
        isNotNull(accessToken),
        isNull(outcome),
        gt(expiresAt, sql`now()`),
      ),
    )
    .limit(1);
  return underWay !== undefined;
};

export const listExpiredWithTokens = (db: Queryable, most: number) =>
  db
    .select({ id, accountId })
    .from(passages)
    .where(and(lt(expiresAt, sql`now()`), isNotNull(accessToken)))
    .orderBy(expiresAt)
    .limit(most);

/** Those whose tokens are gone, and those whose tokens could not be given back for a whole day. */
export const forgetPassages = async (db: Queryable): Promise<void> => {
  const longAgo = sql`now() - make_interval(secs => ${longestKeptMs / 1000})`;
  await db
    .delete(passages)
    .where(and(lt(expiresAt, sql`now()`), or(isNull(accessToken), lt(expiresAt, longAgo))));
};

export const purgePassages = async (
  db: Queryable,
  ofServerId: string,
  most: number,
): Promise<number> => {
  const some = db.select({ id }).from(passages).where(eq(serverId, ofServerId)).limit(most);
  const gone = await db.delete(passages).where(inArray(id, some)).returning({ id });
  return gone.length;
};

export const sealedPassages: SealedRows = { from: passages, keyId: sql`${passages.sealKeyId}` };

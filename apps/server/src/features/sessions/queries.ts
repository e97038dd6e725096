import { and, desc, eq, gt, inArray, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { accounts } from '../accounts/table.ts';
import { maxSessions, sessionIdleMs, sessionLifeMs, signInMs } from './rules.ts';
import { confirmedMs } from './second-factor/rules.ts';
import { sessions, signIns } from './table.ts';

const inMs = (ms: number): SQL => sql`now() + make_interval(secs => ${ms / 1000})`;

export const insertSignIn = async (
  db: Queryable,
  row: Omit<typeof signIns.$inferInsert, 'expiresAt'>,
) => {
  await db.insert(signIns).values({ ...row, expiresAt: inMs(signInMs) });
};

/** A sign-in can be redeemed once, by the browser that began it, before it expires. */
export const redeemSignIn = async (db: Queryable, stateHash: string, browserHash: string) => {
  const [signIn] = await db
    .delete(signIns)
    .where(and(eq(signIns.stateHash, stateHash), eq(signIns.browserHash, browserHash)))
    .returning({
      codeVerifier: signIns.codeVerifier,
      next: signIns.next,
      isInTime: sql<boolean>`${signIns.expiresAt} > now()`,
    });
  return signIn?.isInTime ? signIn : undefined;
};

const sessionFields = {
  id: sessions.id,
  platformId: sessions.platformId,
  username: sessions.username,
  displayName: sessions.displayName,
  avatarHash: sessions.avatarHash,
  /** A code of the second factor was entered in it within the last minutes. */
  isConfirmed: sql<boolean>`coalesce(${sessions.confirmedAt} > now() - make_interval(secs => ${confirmedMs / 1000}), false)`,
};

/** The oldest sessions of the person end where there are too many. */
export const insertSession = async (
  tx: Transaction,
  row: Omit<typeof sessions.$inferInsert, 'expiresAt' | 'createdAt'>,
) => {
  const person = `sessions of ${row.platformId}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${person}, 0))`);
  const others = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.platformId, row.platformId))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .offset(maxSessions - 1);
  await tx.delete(sessions).where(inArray(sessions.id, others));
  await tx.insert(sessions).values({ ...row, expiresAt: inMs(sessionIdleMs) });
};

export type Session = NonNullable<Awaited<ReturnType<typeof touchSession>>>;

/** Finds a session and extends it; the database is written at most once an hour for it. */
export const touchSession = async (db: Queryable, tokenHash: string) => {
  const [session] = await db
    .select({
      ...sessionFields,
      isDue: sql<boolean>`${sessions.expiresAt} < ${inMs(sessionIdleMs - 60 * 60 * 1000)}`,
    })
    .from(sessions)
    .where(
      and(
        eq(sessions.tokenHash, tokenHash),
        gt(sessions.expiresAt, sql`now()`),
        eq(sessions.awaitsCode, false),
      ),
    );
  if (session?.isDue) {
    const longest = sql`${sessions.createdAt} + make_interval(secs => ${sessionLifeMs / 1000})`;
    await db
      .update(sessions)
      .set({ expiresAt: sql`least(${inMs(sessionIdleMs)}, ${longest})` })
      .where(eq(sessions.id, session.id));
  }
  return session;
};

type SignedIn = { sessionId: string; accountId: string };

/** Those of the sessions that are still valid for their account, which still exists. */
export const findSignedIn = async (db: Queryable, given: SignedIn[]): Promise<Set<string>> => {
  const accountOf = new Map(given.map(({ sessionId, accountId }) => [sessionId, accountId]));
  const found = await db
    .select({ sessionId: sessions.id, accountId: accounts.id })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.platformId, sessions.platformId))
    .where(
      and(
        inArray(sessions.id, [...accountOf.keys()]),
        gt(sessions.expiresAt, sql`now()`),
        eq(sessions.awaitsCode, false),
      ),
    );
  const valid = found.filter((one) => accountOf.get(one.sessionId) === one.accountId);
  return new Set(valid.map(({ sessionId }) => sessionId));
};

/** A session that still needs the code of its second factor, for ten minutes. */
export const findAwaitingSession = (db: Queryable, tokenHash: string) =>
  firstRow(
    db
      .select({ id: sessions.id, platformId: sessions.platformId })
      .from(sessions)
      .where(
        and(
          eq(sessions.tokenHash, tokenHash),
          eq(sessions.awaitsCode, true),
          gt(sessions.createdAt, sql`now() - make_interval(secs => ${signInMs / 1000})`),
        ),
      ),
  );

/** Its code was good: the session is valid from now on, under a new token. */
export const completeSession = (db: Queryable, sessionId: string, tokenHash: string) =>
  hasRows(
    db
      .update(sessions)
      .set({ tokenHash, awaitsCode: false, confirmedAt: sql`now()` })
      .where(and(eq(sessions.id, sessionId), eq(sessions.awaitsCode, true)))
      .returning({ id: sessions.id }),
  );

/** Returns until when the session counts as confirmed. */
export const confirmSession = async (db: Queryable, sessionId: string): Promise<Date> => {
  const [session] = await db
    .update(sessions)
    .set({ confirmedAt: sql`now()` })
    .where(eq(sessions.id, sessionId))
    .returning({ confirmedAt: sessions.confirmedAt });
  if (!session?.confirmedAt) throw new Error('The session is gone');
  return new Date(session.confirmedAt.getTime() + confirmedMs);
};

export const listActiveSessions = (db: Queryable, platformId: string) =>
  db
    .select({
      id: sessions.id,
      browser: sessions.browser,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .where(
      and(
        eq(sessions.platformId, platformId),
        eq(sessions.awaitsCode, false),
        gt(sessions.expiresAt, sql`now()`),
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.id));

export const deleteSessionOf = (db: Queryable, platformId: string, sessionId: string) =>
  hasRows(
    db
      .delete(sessions)
      .where(and(eq(sessions.id, sessionId), eq(sessions.platformId, platformId)))
      .returning({ id: sessions.id }),
  );

export const deleteSession = async (db: Queryable, tokenHash: string) => {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
};

export const listSessionsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      username: sessions.username,
      displayName: sessions.displayName,
      avatarHash: sessions.avatarHash,
      browser: sessions.browser,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .where(eq(sessions.platformId, platformId))
    .orderBy(desc(sessions.createdAt), desc(sessions.id));

export const deleteSessionsOfPerson = async (
  db: Queryable,
  platformId: string,
): Promise<number> => {
  const ended = await db
    .delete(sessions)
    .where(eq(sessions.platformId, platformId))
    .returning({ id: sessions.id });
  return ended.length;
};

/** Also sessions that still need their code. */
export const deleteOtherSessions = async (
  db: Queryable,
  platformId: string,
  keptSessionId: string,
) => {
  await db
    .delete(sessions)
    .where(and(eq(sessions.platformId, platformId), ne(sessions.id, keptSessionId)));
};

export const deleteExpiredSessions = async (db: Queryable) => {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`));
  await db.delete(signIns).where(lt(signIns.expiresAt, sql`now()`));
};

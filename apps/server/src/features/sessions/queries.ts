import { and, desc, eq, gt, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/connect.ts';
import { sessionIdleMs, sessionLifeMs, signInMs } from './rules.ts';
import { confirmedMs } from './second-factor/rules.ts';
import { sessions, signIns } from './table.ts';

const inMs = (ms: number): SQL => sql`now() + make_interval(secs => ${ms / 1000})`;

export const insertSignIn = async (
  db: Queryable,
  row: Omit<typeof signIns.$inferInsert, 'expiresAt'>,
): Promise<void> => {
  await db.insert(signIns).values({ ...row, expiresAt: inMs(signInMs) });
};

/** Once, in the same browser, and in time: otherwise nothing. */
export const takeSignIn = async (db: Queryable, stateHash: string, browserHash: string) => {
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
  isConfirmed: sql<boolean>`coalesce(${sessions.confirmedAt} > now() - make_interval(secs => ${confirmedMs / 1000}), false)`,
};
export type Session = {
  id: string;
  platformId: string;
  username: string;
  displayName: string | null;
  avatarHash: string | null;
  /** A code of the second factor came by it a moment ago. */
  isConfirmed: boolean;
};

export const insertSession = async (
  db: Queryable,
  row: Omit<typeof sessions.$inferInsert, 'expiresAt' | 'createdAt'>,
): Promise<void> => {
  await db.insert(sessions).values({ ...row, expiresAt: inMs(sessionIdleMs) });
};

/** Who it is, and the session lives on; the database is written to at most once an hour for it. */
export const useSession = async (
  db: Queryable,
  tokenHash: string,
): Promise<Session | undefined> => {
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

/** One that the platform vouched for and that still needs its code; for ten minutes. */
export const findAwaitingSession = async (db: Queryable, tokenHash: string) => {
  const [session] = await db
    .select({ id: sessions.id, platformId: sessions.platformId })
    .from(sessions)
    .where(
      and(
        eq(sessions.tokenHash, tokenHash),
        eq(sessions.awaitsCode, true),
        gt(sessions.createdAt, sql`now() - make_interval(secs => ${signInMs / 1000})`),
      ),
    );
  return session;
};

/** Its code has come: it counts from now on, under another token. */
export const admitSession = async (
  db: Queryable,
  sessionId: string,
  tokenHash: string,
): Promise<boolean> => {
  const admitted = await db
    .update(sessions)
    .set({ tokenHash, awaitsCode: false, confirmedAt: sql`now()` })
    .where(and(eq(sessions.id, sessionId), eq(sessions.awaitsCode, true)))
    .returning({ id: sessions.id });
  return admitted.length > 0;
};

/** Until when it counts as confirmed. */
export const confirmSession = async (db: Queryable, sessionId: string): Promise<Date> => {
  const [session] = await db
    .update(sessions)
    .set({ confirmedAt: sql`now()` })
    .where(eq(sessions.id, sessionId))
    .returning({ confirmedAt: sessions.confirmedAt });
  if (!session?.confirmedAt) throw new Error('The session is gone');
  return new Date(session.confirmedAt.getTime() + confirmedMs);
};

export const listSessionsOf = (db: Queryable, platformId: string) =>
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

export const deleteSessionOf = async (
  db: Queryable,
  platformId: string,
  sessionId: string,
): Promise<boolean> => {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.platformId, platformId)))
    .returning({ id: sessions.id });
  return ended.length > 0;
};

export const deleteSession = async (db: Queryable, tokenHash: string): Promise<void> => {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
};

export const listSessionsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      username: sessions.username,
      displayName: sessions.displayName,
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

/** Those that still owe a code, too. */
export const deleteOtherSessions = async (
  db: Queryable,
  platformId: string,
  keptSessionId: string,
): Promise<void> => {
  await db
    .delete(sessions)
    .where(and(eq(sessions.platformId, platformId), ne(sessions.id, keptSessionId)));
};

export const forgetExpired = async (db: Queryable): Promise<void> => {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`));
  await db.delete(signIns).where(lt(signIns.expiresAt, sql`now()`));
};

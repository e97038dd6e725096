import { and, desc, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/connect.ts';
import { sessionIdleMs, sessionLifeMs, signInMs } from './rules.ts';
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
};
export type Session = {
  id: string;
  platformId: string;
  username: string;
  displayName: string | null;
  avatarHash: string | null;
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
    .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAt, sql`now()`)));
  if (session?.isDue) {
    const longest = sql`${sessions.createdAt} + make_interval(secs => ${sessionLifeMs / 1000})`;
    await db
      .update(sessions)
      .set({ expiresAt: sql`least(${inMs(sessionIdleMs)}, ${longest})` })
      .where(eq(sessions.id, session.id));
  }
  return session;
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

export const deleteSessionsOfPerson = async (db: Queryable, platformId: string): Promise<void> => {
  await db.delete(sessions).where(eq(sessions.platformId, platformId));
};

export const forgetExpired = async (db: Queryable): Promise<void> => {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`));
  await db.delete(signIns).where(lt(signIns.expiresAt, sql`now()`));
};

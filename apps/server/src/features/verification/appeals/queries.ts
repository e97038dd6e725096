import type { PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { whitelistRules } from '../../whitelist/table.ts';
import { appeals } from '../table.ts';

type Server = { id: string; accountId: string };

const { id, serverId, accountId, platformId, username, reason, message, status } = appeals;
const { createdAt, decidedAt } = appeals;
const appealFields = {
  ...{ id, serverId, platformId, username, reason, message, status, createdAt, decidedAt },
};
const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));

/** One that is open already stays as it is. */
export const insertAppeal = async (
  db: Queryable,
  row: Omit<typeof appeals.$inferInsert, 'status' | 'createdAt' | 'decidedAt'>,
): Promise<void> => {
  await db.insert(appeals).values(row).onConflictDoNothing();
};

export const findLastAppeal = async (db: Queryable, server: Server, ofPlatformId: string) => {
  const [appeal] = await db
    .select({ status })
    .from(appeals)
    .where(and(ofServer(server), eq(platformId, ofPlatformId)))
    .orderBy(desc(createdAt), desc(id))
    .limit(1);
  return appeal;
};

type AppealQuery = PageQuery & { isOpen?: boolean };

/** Newest first: all, or those that are open, or those that are not. */
export const listAppeals = async (
  db: Queryable,
  server: Server,
  { page, limit, isOpen }: AppealQuery,
) => {
  const isStatus = isOpen ? eq(status, 'OPEN') : ne(status, 'OPEN');
  const isWanted = and(ofServer(server), isOpen === undefined ? undefined : isStatus);
  const [rows, [counted]] = await Promise.all([
    db
      .select(appealFields)
      .from(appeals)
      .where(isWanted)
      .orderBy(desc(createdAt), desc(id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(appeals).where(isWanted),
  ]);
  return { rows, total: counted?.total ?? 0 };
};

export const findAppeal = async (db: Queryable, server: Server, appealId: string) => {
  const [appeal] = await db
    .select(appealFields)
    .from(appeals)
    .where(and(eq(id, appealId), ofServer(server)));
  return appeal;
};

/** Undefined where it is not open, or not there. */
export const closeAppeal = async (
  tx: Transaction,
  server: Server,
  appealId: string,
  decision: 'ACCEPTED' | 'REJECTED',
) => {
  const [appeal] = await tx
    .update(appeals)
    .set({ status: decision, decidedAt: sql`now()` })
    .where(and(eq(id, appealId), ofServer(server), eq(status, 'OPEN')))
    .returning(appealFields);
  return appeal;
};

export const hasPersonalRule = async (
  tx: Transaction,
  server: Server,
  value: string,
): Promise<boolean> => {
  const found = await tx
    .select({ id: whitelistRules.id })
    .from(whitelistRules)
    .where(
      and(
        eq(whitelistRules.serverId, server.id),
        eq(whitelistRules.accountId, server.accountId),
        eq(whitelistRules.type, 'USER_ID'),
        eq(whitelistRules.value, value),
      ),
    );
  return found.length > 0;
};

export const purgeAppeals = async (
  db: Queryable,
  ofServerId: string,
  most: number,
): Promise<number> => {
  const some = db.select({ id }).from(appeals).where(eq(serverId, ofServerId)).limit(most);
  const gone = await db.delete(appeals).where(inArray(id, some)).returning({ id });
  return gone.length;
};

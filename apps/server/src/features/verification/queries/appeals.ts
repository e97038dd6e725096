import type { PageQuery } from '@holdfast/contract';
import { and, desc, eq, ne, type SQL, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { appeals } from '../table.ts';

type Server = { id: string; accountId: string };

const { id, serverId, accountId, platformId, username, reason, message, status } = appeals;
const { createdAt, decidedAt, browserHash } = appeals;
const contents = { username, reason, message, status, createdAt, decidedAt };
const appealFields = { id, serverId, platformId, ...contents };
const newestFirst = [desc(createdAt), desc(id)];
const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));

/** False, with nothing done, if the person has an open appeal. */
export const insertAppeal = async (
  tx: Transaction,
  row: Omit<typeof appeals.$inferInsert, 'status' | 'createdAt' | 'decidedAt'>,
): Promise<boolean> => {
  const isInserted = await hasRows(
    tx.insert(appeals).values(row).onConflictDoNothing().returning({ id }),
  );
  if (isInserted) markChanged(tx, row, 'appeals');
  return isInserted;
};

export const findLastAppeal = (db: Queryable, server: Server, ofPlatformId: string) =>
  findNewest(db, and(ofServer(server), eq(platformId, ofPlatformId)));

/** What was last written in that browser. */
export const findAppealOfBrowser = (db: Queryable, server: Server, hash: string) =>
  findNewest(db, and(ofServer(server), eq(browserHash, hash)));

const findNewest = async (db: Queryable, isMeant: SQL | undefined) => {
  const [appeal] = await db
    .select({ status, decidedAt, platformId })
    .from(appeals)
    .where(isMeant)
    .orderBy(...newestFirst)
    .limit(1);
  return appeal;
};

/** Newest first: all, or only the open ones, or only the decided ones. */
export const listAppeals = (
  db: Queryable,
  server: Server,
  { isOpen, ...page }: PageQuery & { isOpen?: boolean },
) => {
  const hasStatus = isOpen ? eq(status, 'OPEN') : ne(status, 'OPEN');
  const isListed = and(ofServer(server), isOpen === undefined ? undefined : hasStatus);
  const rows = db
    .select(appealFields)
    .from(appeals)
    .where(isListed)
    .orderBy(...newestFirst);
  return listPage(page, rows, countRows(db, appeals, isListed));
};

export const findAppeal = async (db: Queryable, server: Server, appealId: string) => {
  const [appeal] = await db
    .select(appealFields)
    .from(appeals)
    .where(and(eq(id, appealId), ofServer(server)));
  return appeal;
};

/** Undefined if it does not exist or is decided already. */
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

export const purgeAppeals = purgeByServer(appeals, id);

export const listAppealsOfPerson = (db: Queryable, ofPlatformId: string) =>
  db
    .select({ accountId, serverId, ...contents })
    .from(appeals)
    .where(eq(platformId, ofPlatformId))
    .orderBy(...newestFirst);

export const deleteAppealsOfPerson = (tx: Transaction, ofPlatformId: string) =>
  tx.delete(appeals).where(eq(platformId, ofPlatformId)).returning({ accountId });

import type { PageQuery } from '@holdfast/contract';
import { and, asc, count, desc, eq, inArray, isNull, min, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { backups } from '../../backups/table.ts';
import { servers } from '../../servers/table.ts';
import { restoreSteps, restores, type stepStatuses } from '../table.ts';
import { type RestoreOwner, restoreFields, selectOwnId } from './restores.ts';

type Server = { id: string; accountId: string };

export const listRestores = (db: Queryable, server: Server, query: PageQuery) => {
  const { id, accountId, serverId, createdAt } = restores;
  const ofServer = and(eq(serverId, server.id), eq(accountId, server.accountId));
  const rows = db
    .select(restoreFields)
    .from(restores)
    .where(ofServer)
    .orderBy(desc(createdAt), desc(id));
  return listPage(query, rows, countRows(db, restores, ofServer));
};

/** The counts of each stage, in the order in which stages run. */
export const countStages = (db: Queryable, owner: RestoreOwner) => {
  const { stage, seq, status, restoreId } = restoreSteps;
  const countWith = (counted: (typeof stepStatuses)[number]): SQL<number> =>
    sql<number>`count(*) filter (where ${status} = ${counted})`.mapWith(Number);
  return db
    .select({ stage, total: count(), done: countWith('done'), failed: countWith('failed') })
    .from(restoreSteps)
    .where(inArray(restoreId, selectOwnId(db, owner)))
    .groupBy(stage)
    .orderBy(asc(min(seq)));
};

/** Those of the backups that still exist. */
export const listSourceBackups = (db: Queryable, accountId: string, backupIds: string[]) =>
  db
    .select({
      id: backups.id,
      serverId: backups.serverId,
      name: backups.name,
      kind: backups.kind,
      status: backups.status,
      createdAt: backups.createdAt,
    })
    .from(backups)
    .innerJoin(servers, and(eq(servers.id, backups.serverId), isNull(servers.deletedAt)))
    .where(and(eq(backups.accountId, accountId), inArray(backups.id, backupIds)));

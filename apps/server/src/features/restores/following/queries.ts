import type { PageQuery } from '@holdfast/contract';
import { and, asc, count, desc, eq, inArray, isNull, min, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { backups } from '../../backups/table.ts';
import { servers } from '../../servers/table.ts';
import { ofOwner, type RestoreOwner, shownFields } from '../queries.ts';
import { restoreSteps, restores, type stepStatuses } from '../table.ts';

const { id, createdAt } = restores;

type Server = { id: string; accountId: string };

export const listRestores = async (db: Queryable, server: Server, { page, limit }: PageQuery) => {
  const ofServer = and(eq(restores.serverId, server.id), eq(restores.accountId, server.accountId));
  const rows = await db
    .select(shownFields)
    .from(restores)
    .where(ofServer)
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .offset((page - 1) * limit);
  const [counted] = await db.select({ total: count() }).from(restores).where(ofServer);
  return { rows, total: counted?.total ?? 0 };
};

/** How far each stage is, in their order. */
export const countStages = (db: Queryable, owner: RestoreOwner) => {
  const { stage, seq } = restoreSteps;
  const own = db.select({ id }).from(restores).where(ofOwner(owner));
  const countOf = (wanted: (typeof stepStatuses)[number]): SQL<number> =>
    sql<number>`count(*) filter (where ${restoreSteps.status} = ${wanted})`.mapWith(Number);
  return db
    .select({ stage, total: count(), done: countOf('done'), failed: countOf('failed') })
    .from(restoreSteps)
    .where(inArray(restoreSteps.restoreId, own))
    .groupBy(stage)
    .orderBy(asc(min(seq)));
};

/** Those of the backups that are still there. */
export const listSources = (db: Queryable, accountId: string, backupIds: string[]) =>
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

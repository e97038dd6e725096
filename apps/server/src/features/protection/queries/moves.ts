import {
  and,
  asc,
  desc,
  eq,
  gte,
  inArray,
  lt,
  ne,
  notExists,
  or,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { purgeByPlace } from '../../../db/queries/purge-rows.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { backups } from '../../backups/table.ts';
import { servers } from '../../servers/table.ts';
import { guildActs, guildMoves, incidentExecutors, incidents } from '../table.ts';
import { mayBeRepaired } from './of-incident.ts';

type OfServer = { accountId: string; serverId: string };
type Place = Omit<typeof guildMoves.$inferSelect, 'serverId' | 'accountId'>;

/** Of what stands where it was heard to stand before, nothing is stored. */
export const insertMoves = async (
  tx: Transaction,
  { accountId, serverId }: OfServer,
  places: readonly Place[],
): Promise<void> => {
  if (places.length === 0) return;
  const { type, thingId, parentId, position, at } = guildMoves;
  const ids = places.map((place) => place.thingId);
  const last = await tx
    .selectDistinctOn([type, thingId], { type, thingId, parentId, position })
    .from(guildMoves)
    .where(and(eq(guildMoves.serverId, serverId), inArray(thingId, ids)))
    .orderBy(type, thingId, desc(at));
  const isKnown = (place: Place) =>
    last.some(
      (one) =>
        one.type === place.type &&
        one.thingId === place.thingId &&
        one.parentId === place.parentId &&
        one.position === place.position,
    );
  const fresh = places.filter((place) => !isKnown(place));
  if (fresh.length === 0) return;
  const rows = fresh.map((place) => ({ ...place, accountId, serverId }));
  await tx.insert(guildMoves).values(rows).onConflictDoNothing();
};

/** However much was moved, so much is looked at. */
const mostMoves = 20_000;

/** Where things were heard to stand since a backup, and when that was taken. */
export const listMovesSinceBackup = async (
  db: Queryable,
  { accountId, serverId, backupId }: OfServer & { backupId: string },
) => {
  const backup = await firstRow(
    db
      .select({ at: backups.createdAt })
      .from(backups)
      .where(and(eq(backups.id, backupId), eq(backups.accountId, accountId))),
  );
  if (!backup) return undefined;
  const moves = await db
    .select({
      type: guildMoves.type,
      id: guildMoves.thingId,
      parentId: guildMoves.parentId,
      position: guildMoves.position,
      at: guildMoves.at,
    })
    .from(guildMoves)
    .where(
      and(
        eq(guildMoves.serverId, serverId),
        eq(guildMoves.accountId, accountId),
        gte(guildMoves.at, backup.at),
      ),
    )
    .orderBy(asc(guildMoves.at))
    .limit(mostMoves);
  return { backedUpAt: backup.at, moves };
};

/** From the first act of each attack on the server, with this one, until its executors were stopped. */
export const listAttackTimes = (
  db: Queryable,
  { accountId, serverId, incidentId: ofIncident }: OfServer & { incidentId: string },
) => {
  const { at, incidentId } = guildActs;
  const { actsFrom, stoppedAt, status } = incidentExecutors;
  const ofExecutors = (value: ReturnType<typeof sql>) =>
    sql`(select ${value} from ${incidentExecutors} where ${incidentExecutors.incidentId} = ${incidents.id})`;
  const ofActs = (value: ReturnType<typeof sql>) =>
    sql`(select ${value} from ${guildActs} where ${incidentId} = ${incidents.id})`;
  // Who was not stopped may have gone on.
  const untilContained = sql`case when ${ofExecutors(sql`bool_and(${status} = 'stopped')`)}
    then null else ${incidents.containedAt} end`;
  return db
    .select({
      id: incidents.id,
      from: sql<Date>`least(${incidents.firstActAt}, ${ofActs(sql`min(${at})`)},
        ${ofExecutors(sql`min(${actsFrom})`)})`.mapWith(incidents.firstActAt),
      until: sql<Date>`greatest(${incidents.firstActAt}, ${ofActs(sql`max(${at})`)},
        ${ofExecutors(sql`max(${stoppedAt})`)}, ${untilContained})`.mapWith(incidents.firstActAt),
    })
    .from(incidents)
    .where(
      and(
        eq(incidents.serverId, serverId),
        eq(incidents.accountId, accountId),
        eq(incidents.kind, 'NUKE'),
        or(ne(incidents.status, 'dismissed'), eq(incidents.id, ofIncident)),
      ),
    );
};

const deletedAtOnce = 5000;

/** Some servers of which moves are stored, in the order of their ids; each costs a step down the index. */
export const listServersWithMoves = async (
  db: Queryable,
  { after, most }: { after: string; most: number },
): Promise<string[]> => {
  const { serverId } = guildMoves;
  const rows = await db.execute(sql`
    with recursive found (id) as (
      (select ${serverId} from ${guildMoves} where ${serverId} > ${after}::uuid order by 1 limit 1)
      union all
      select (select ${serverId} from ${guildMoves} where ${serverId} > found.id order by 1 limit 1)
      from found where found.id is not null
    )
    select id from found where id is not null limit ${most}`);
  return rows.map(({ id }) => String(id));
};

/**
 * Deletes what is older than the backup that a repair would be from, unless there is an attack that may still be
 * repaired. Some at a time; returns how many.
 */
export const deleteBackedUpMoves = async (
  db: Queryable,
  { serverIds, before }: { serverIds: string[]; before: Date },
): Promise<number> => {
  const underAttack = db
    .select({ serverId: incidents.serverId })
    .from(incidents)
    .where(and(eq(incidents.serverId, servers.id), mayBeRepaired));
  const backedUp = db
    .select(keyOfMove)
    .from(servers)
    .innerJoin(backups, eq(backups.id, servers.lastGoodBackupId))
    .innerJoin(
      guildMoves,
      and(
        eq(guildMoves.serverId, servers.id),
        lt(guildMoves.at, backups.createdAt),
        lt(guildMoves.at, before),
      ),
    )
    .where(and(inArray(servers.id, serverIds), notExists(underAttack)))
    .limit(deletedAtOnce);
  return deleteMoves(db, backedUp);
};

/** Deletes what no attack that may still be repaired can be about, some at a time; returns how many. */
export const deleteOldMoves = (db: Queryable, before: Date): Promise<number> =>
  deleteMoves(
    db,
    db.select(keyOfMove).from(guildMoves).where(lt(guildMoves.at, before)).limit(deletedAtOnce),
  );

const keyOfMove = {
  serverId: guildMoves.serverId,
  type: guildMoves.type,
  thingId: guildMoves.thingId,
  at: guildMoves.at,
};

const deleteMoves = async (db: Queryable, some: SQLWrapper): Promise<number> => {
  const { serverId, type, thingId, at } = keyOfMove;
  const deleted = await db
    .delete(guildMoves)
    .where(inArray(sql`(${serverId}, ${type}, ${thingId}, ${at})`, some))
    .returning({ thingId });
  return deleted.length;
};

export const purgeMovesOfServer = purgeByPlace(guildMoves);

import { and, desc, eq, inArray, isNotNull, isNull, notInArray, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../db/connect.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { bots } from '../bots/table.ts';
import { servers } from '../servers/table.ts';
import { type DrillError, type DrillResult, drills } from './table.ts';

type Owned = { accountId: string; serverId: string };
export type DrillOwner = { accountId: string; drillId: string };

const { id, accountId, serverId, status, createdAt } = drills;

const drillFields = {
  ...{ id, serverId, status, createdAt, isScheduled: drills.isScheduled },
  ...{ result: drills.result, error: drills.error, completedAt: drills.completedAt },
};
export type DrillRow = Awaited<ReturnType<typeof listDrills>>[number];

const ofServer = (owner: Owned) =>
  and(eq(serverId, owner.serverId), eq(accountId, owner.accountId));
const ownedBy = (owner: DrillOwner) => and(eq(id, owner.drillId), eq(accountId, owner.accountId));
const isActive = inArray(status, ['queued', 'running']);

/** So many of a server are kept. */
const kept = 12;

const lastOf = (db: Queryable, owner: Owned) =>
  db.select({ id }).from(drills).where(ofServer(owner)).orderBy(desc(createdAt), desc(id));

export const listDrills = (db: Queryable, owner: Owned) =>
  db
    .select(drillFields)
    .from(drills)
    .where(ofServer(owner))
    .orderBy(desc(createdAt), desc(id))
    .limit(kept);

/** Undefined while another drill of the server is under way. */
export const insertDrill = (tx: Transaction, drill: Owned & { id: string; isScheduled: boolean }) =>
  firstRow(tx.insert(drills).values(drill).onConflictDoNothing().returning(drillFields));

/** Whether it had an attack, or may still have one. */
const isAttack = sql`(${drills.result} is null or jsonb_typeof(${drills.result} -> 'figures') = 'object')`;

/** Seconds since the last attack on a copy of the server began; undefined where there was none. */
export const findLastAttackAge = async (db: Queryable, owner: Owned) => {
  const last = await firstRow(
    db
      .select({ age: sql<number>`extract(epoch from now() - ${createdAt})`.mapWith(Number) })
      .from(drills)
      .where(and(ofServer(owner), isAttack))
      .orderBy(desc(createdAt), desc(id))
      .limit(1),
  );
  return last?.age;
};

/** Undefined where it has ended, or its server is gone. */
export const beginDrill = async (tx: Transaction, owner: DrillOwner) => {
  const drill = await firstRow(
    tx
      .select({ serverId, antiNukeEnabled: servers.antiNukeEnabled, clientId: bots.clientId })
      .from(drills)
      .innerJoin(servers, and(eq(servers.id, serverId), eq(servers.accountId, accountId)))
      .leftJoin(bots, eq(bots.id, servers.customBotId))
      .where(and(ownedBy(owner), isActive, isNull(servers.deletedAt))),
  );
  if (!drill) return undefined;
  await tx
    .update(drills)
    .set({ status: 'running' })
    .where(and(ownedBy(owner), isActive));
  markChanged(tx, { accountId: owner.accountId, serverId: drill.serverId }, 'protection');
  return { accountId: owner.accountId, ...drill };
};

export type DrillEnd =
  | { status: 'completed'; result: DrillResult }
  | { status: 'failed'; error: DrillError };

/** False where it has ended already. Drills that are older than those that are kept go. */
export const endDrill = async (
  tx: Transaction,
  owner: DrillOwner & Owned,
  end: DrillEnd,
): Promise<boolean> => {
  const ended = await firstRow(
    tx
      .update(drills)
      .set({ ...end, completedAt: sql`now()` })
      .where(and(ownedBy(owner), isActive))
      .returning({ id }),
  );
  if (!ended) return false;
  await tx
    .delete(drills)
    .where(and(ofServer(owner), notInArray(id, lastOf(tx, owner).limit(kept))));
  markChanged(tx, owner, 'protection');
  return true;
};

/** In so many hours every server has its turn once. */
const roundHours = 720;
/** A turn that nobody took, because no worker ran, is still taken so much later. */
const lateHours = 48;

/**
 * Protected servers with a good backup whose turn has come, and that had no drill since. The turns are
 * spread over the hours of a round by the ids of the servers.
 */
export const listServersDue = (db: Queryable, now: Date, most: number): Promise<Owned[]> => {
  const hour = sql`floor(extract(epoch from ${now.toISOString()}::timestamptz) / 3600)::bigint`;
  const turn = sql`((hashtext(${servers.id}::text) & 2147483647) % ${roundHours}::int)`;
  const hoursSince = sql`((${hour} - ${turn}) % ${roundHours}::int)`;
  const turnAt = sql`to_timestamp((${hour} - ${hoursSince}) * 3600)`;
  return db
    .select({ accountId: servers.accountId, serverId: servers.id })
    .from(servers)
    .where(
      and(
        isNull(servers.deletedAt),
        eq(servers.antiNukeEnabled, true),
        isNotNull(servers.lastGoodBackupId),
        sql`${hoursSince} < ${lateHours}::int`,
        sql`not exists (select 1 from ${drills} where ${serverId} = ${servers.id} and ${createdAt} >= ${turnAt})`,
      ),
    )
    .orderBy(servers.id)
    .limit(most);
};

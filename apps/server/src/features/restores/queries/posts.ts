import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { restorePosts, restoreSteps, restores } from '../table.ts';
import { type RestoreOwner, selectOwnId, updateRestore } from './restores.ts';

const { restoreId, placeId } = restorePosts;

const rowsPerInsert = 500;

export type NewPlace = Pick<typeof restorePosts.$inferInsert, 'placeId' | 'channelId' | 'total'>;

/** Every message that will be posted counts as a step of the restore. */
export const insertPlaces = async (
  tx: Transaction,
  owner: RestoreOwner,
  places: readonly NewPlace[],
): Promise<void> => {
  if (places.length === 0) return;
  const rows = places.map((place) => ({ ...place, restoreId: owner.restoreId }));
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    await tx.insert(restorePosts).values(rows.slice(from, from + rowsPerInsert));
  }
  const messages = places.reduce((all, { total }) => all + total, 0);
  await updateRestore(tx, owner, { stepsTotal: sql`${restores.stepsTotal} + ${messages}` });
};

export type PlaceRow = Awaited<ReturnType<typeof listPlaces>>[number];

export const listPlaces = (db: Queryable, owner: RestoreOwner) =>
  db
    .select({
      placeId,
      channelId: restorePosts.channelId,
      status: restorePosts.status,
      total: restorePosts.total,
      posted: restorePosts.posted,
      failed: restorePosts.failed,
      found: restorePosts.found,
      newId: restorePosts.newId,
      lastOldId: restorePosts.lastOldId,
      lastPostedId: restorePosts.lastPostedId,
      lastNewId: restorePosts.lastNewId,
      begunId: restorePosts.begunId,
      pins: restorePosts.pins,
      webhookIds: restorePosts.webhookIds,
      error: restorePosts.error,
    })
    .from(restorePosts)
    .where(inArray(restoreId, selectOwnId(db, owner)))
    .orderBy(asc(placeId));

export type PlaceChanges = Partial<Omit<PlaceRow, 'placeId' | 'channelId'>>;

export const updatePlace = async (
  tx: Transaction,
  owner: RestoreOwner,
  ofPlace: string,
  changes: PgUpdateSetSource<typeof restorePosts>,
): Promise<void> => {
  await tx
    .update(restorePosts)
    .set(changes)
    .where(and(eq(restoreId, owner.restoreId), eq(placeId, ofPlace)));
};

/**
 * Counts the steps of a restore from both of its journals. Not with every post: a hundred channels at
 * once would wait for the one row.
 */
export const recountSteps = (db: Queryable, owner: RestoreOwner): Promise<void> => {
  const ofRestore = sql`restore_id = ${owner.restoreId}`;
  const steps = (condition: SQL) =>
    sql`(select count(*) from ${restoreSteps} where ${ofRestore} and ${condition})`;
  const posts = (column: SQL) =>
    sql`(select coalesce(sum(${column}), 0) from ${restorePosts} where ${ofRestore})`;
  return updateRestore(db, owner, {
    stepsTotal: sql`${steps(sql`true`)} + ${posts(sql`total`)}`,
    stepsDone: sql`${steps(sql`status = 'done'`)} + ${posts(sql`posted`)}`,
    stepsFailed: sql`${steps(sql`status = 'failed'`)} + ${posts(sql`failed`)}`,
  });
};

/** How the posting stands, as the stages of the journal are counted. */
export const countPostsOf = async (db: Queryable, owner: RestoreOwner) => {
  const sumOf = (counter: 'total' | 'posted' | 'failed'): SQL<number> =>
    sql<number>`coalesce(sum(${restorePosts[counter]}), 0)`.mapWith(Number);
  const [counts] = await db
    .select({
      total: sumOf('total'),
      done: sumOf('posted'),
      failed: sumOf('failed'),
    })
    .from(restorePosts)
    .where(inArray(restoreId, selectOwnId(db, owner)));
  return counts ?? { total: 0, done: 0, failed: 0 };
};

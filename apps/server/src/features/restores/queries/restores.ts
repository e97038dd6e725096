import { and, eq, exists, inArray, isNull, notExists, notInArray, sql } from 'drizzle-orm';
import type { PgColumn, PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { backups } from '../../backups/table.ts';
import { servers } from '../../servers/table.ts';
import type { StoredWarning } from '../run/stored-warning.ts';
import { restores } from '../table.ts';

const { id, accountId, serverId, status, createdAt } = restores;

export const restoreFields = {
  id,
  backupId: restores.backupId,
  serverId,
  components: restores.components,
  mode: restores.mode,
  deleteExtra: restores.deleteExtra,
  incidentId: restores.incidentId,
  status,
  stepsTotal: restores.stepsTotal,
  stepsDone: restores.stepsDone,
  stepsFailed: restores.stepsFailed,
  safetyBackupId: restores.safetyBackupId,
  resumesAt: restores.resumesAt,
  isCancelRequested: restores.isCancelRequested,
  warnings: restores.warnings,
  notes: restores.notes,
  error: restores.error,
  createdAt,
  startedAt: restores.startedAt,
  completedAt: restores.completedAt,
};

export type RestoreOwner = { accountId: string; restoreId: string };

const activeStatuses = ['queued', 'snapshotting', 'running'] as const;

const ofOwner = (owner: RestoreOwner) =>
  and(eq(id, owner.restoreId), eq(accountId, owner.accountId));
const isActive = inArray(status, [...activeStatuses]);

/** The id of the owner's restore, to bind its steps to the owner in their statements. */
export const selectOwnId = (db: Queryable, owner: RestoreOwner) =>
  db.select({ id }).from(restores).where(ofOwner(owner));

/** Undefined where one is under way on that server. */
export const insertRestore = (tx: Transaction, row: typeof restores.$inferInsert) =>
  firstRow(tx.insert(restores).values(row).onConflictDoNothing().returning(restoreFields));

const serverExists = (db: Queryable) =>
  exists(
    db
      .select({ id: servers.id })
      .from(servers)
      .where(and(eq(servers.id, serverId), isNull(servers.deletedAt))),
  );

/** Undefined also where its server is deleted. */
export const findRestore = (db: Queryable, owner: RestoreOwner) =>
  firstRow(
    db
      .select(restoreFields)
      .from(restores)
      .where(and(ofOwner(owner), serverExists(db))),
  );

/** Undefined where it has ended. */
export const requestCancel = async (tx: Transaction, owner: RestoreOwner) => {
  const [restore] = await tx
    .update(restores)
    .set({ isCancelRequested: true })
    .where(and(ofOwner(owner), isActive))
    .returning(restoreFields);
  return restore;
};

/** Undefined where it has ended. */
export const findActiveRestore = async (db: Queryable, owner: RestoreOwner) => {
  const [restore] = await db
    .select({
      ...restoreFields,
      accountId,
      askedBy: restores.askedBy,
      plan: restores.plan,
      undo: restores.undo,
    })
    .from(restores)
    .where(and(ofOwner(owner), isActive));
  return restore;
};

export const updateRestore = async (
  db: Queryable,
  owner: RestoreOwner,
  changes: PgUpdateSetSource<typeof restores>,
): Promise<void> => {
  const changed = await db
    .update(restores)
    .set(changes)
    .where(and(ofOwner(owner), isActive))
    .returning({ serverId });
  for (const { serverId } of changed) {
    markChanged(db, { accountId: owner.accountId, serverId }, 'restores');
  }
};

/** From now on it waits; whoever runs it before that time finds nothing to do. */
export const suspendRestore = (db: Queryable, owner: RestoreOwner, ms: number): Promise<void> =>
  updateRestore(db, owner, {
    resumesAt: sql`now() + make_interval(secs => ${ms / 1000}::float8)`,
  });

/** How long a suspended restore still waits; 0 where it does not. By the database's clock. */
export const findWaitLeftMs = async (db: Queryable, owner: RestoreOwner): Promise<number> => {
  const left = sql<number>`extract(epoch from ${restores.resumesAt} - clock_timestamp())::float8`;
  const [restore] = await db
    .select({ leftSeconds: left })
    .from(restores)
    .where(and(ofOwner(owner), isActive));
  return Math.max(0, (restore?.leftSeconds ?? 0) * 1000);
};

export const beginRestore = (db: Queryable, owner: RestoreOwner): Promise<void> =>
  updateRestore(db, owner, {
    status: sql`case when ${status} = 'queued' then 'snapshotting' else ${status} end`,
    startedAt: sql`coalesce(${restores.startedAt}, now())`,
    resumesAt: sql`case when ${restores.resumesAt} > clock_timestamp() then ${restores.resumesAt} end`,
  });

/** Why it should end before its work is done: its owner cancelled it, or a server of it is deleted. */
export const findReasonToStop = async (
  db: Queryable,
  owner: RestoreOwner,
): Promise<'cancelled' | 'gone' | undefined> => {
  const sources = db
    .select({ id: backups.id })
    .from(backups)
    .innerJoin(servers, eq(servers.id, backups.serverId))
    .where(and(eq(backups.id, restores.heldBackupId), isNull(servers.deletedAt)));
  const [restore] = await db
    .select({
      isCancelRequested: restores.isCancelRequested,
      hasServers: sql<boolean>`${serverExists(db)} and ${exists(sources)}`,
    })
    .from(restores)
    .where(and(ofOwner(owner), isActive));
  if (!restore?.hasServers) return 'gone';
  return restore.isCancelRequested ? 'cancelled' : undefined;
};

export type RestoreEnd = {
  status: 'completed' | 'partial' | 'failed' | 'cancelled';
  error?: string;
  warnings?: StoredWarning[];
};

/** False where it had ended already. The backup it read can be deleted from now on. */
export const endRestore = async (
  tx: Transaction,
  owner: RestoreOwner,
  end: RestoreEnd,
): Promise<boolean> => {
  const ended = await tx
    .update(restores)
    .set({ ...end, heldBackupId: null, resumesAt: null, completedAt: sql`now()` })
    .where(and(ofOwner(owner), isActive))
    .returning({ id });
  return ended.length > 0;
};

/** The stored texts of an account's ended restores, without their steps. */
export const listEndedRestores = (db: Queryable, ownerId: string) =>
  db
    .select({
      id,
      createdAt,
      warnings: restores.warnings,
      plan: restores.plan,
      undo: restores.undo,
    })
    .from(restores)
    .where(and(eq(accountId, ownerId), notInArray(status, [...activeStatuses])));

export const redactRestore = async (
  db: Queryable,
  owner: RestoreOwner,
  redacted: Pick<typeof restores.$inferInsert, 'warnings' | 'plan' | 'undo'>,
): Promise<void> => {
  await db.update(restores).set(redacted).where(ofOwner(owner));
};

/** Whether a restore that has not ended reads the backup. */
export const isBackupInUse = async (db: Queryable, backupId: string): Promise<boolean> => {
  const using = await db
    .select({ id })
    .from(restores)
    .where(and(eq(restores.heldBackupId, backupId), isActive))
    .limit(1);
  return using.length > 0;
};

export const purgeRestores = purgeByServer(restores, id);

type OfServer = { accountId: string; serverId: string };

const activeInto = (db: Queryable, owner: OfServer) =>
  db
    .select({ id })
    .from(restores)
    .where(and(eq(serverId, owner.serverId), eq(accountId, owner.accountId), isActive))
    .limit(1);

/** Whether a restore into the server has not ended. */
export const hasActiveRestore = (db: Queryable, owner: OfServer): Promise<boolean> =>
  hasRows(activeInto(db, owner));

/** The same; it does not end before the transaction does. */
export const holdActiveRestore = (tx: Transaction, owner: OfServer): Promise<boolean> =>
  hasRows(activeInto(tx, owner).for('share'));

/** For a statement about something that has a server: whether no restore into that is under way. */
export const hasNoActiveRestore = (db: Queryable, ofServer: PgColumn) =>
  notExists(
    db
      .select({ id })
      .from(restores)
      .where(and(eq(serverId, ofServer), isActive)),
  );

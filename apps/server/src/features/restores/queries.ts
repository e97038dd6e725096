import { and, asc, eq, exists, inArray, isNull, notInArray, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { backups } from '../backups/table.ts';
import type { ServerPurger } from '../servers/jobs.ts';
import { servers } from '../servers/table.ts';
import type { Groundwork } from './groundwork.ts';
import type { Step } from './step.ts';
import { restoreSteps, restores, type stepStatuses } from './table.ts';

const { id, accountId, serverId, status, createdAt } = restores;

export const shownFields = {
  id,
  backupId: restores.backupId,
  serverId,
  components: restores.components,
  status,
  stepsTotal: restores.stepsTotal,
  stepsDone: restores.stepsDone,
  stepsFailed: restores.stepsFailed,
  safetyBackupId: restores.safetyBackupId,
  warnings: restores.warnings,
  error: restores.error,
  createdAt,
  startedAt: restores.startedAt,
  completedAt: restores.completedAt,
};

export type RestoreOwner = { accountId: string; restoreId: string };

const activeStatuses = ['queued', 'snapshotting', 'running'] as const;

export const ofOwner = (owner: RestoreOwner) =>
  and(eq(id, owner.restoreId), eq(accountId, owner.accountId));
const isActive = inArray(status, [...activeStatuses]);

/** Undefined where one is under way on that server. */
export const insertRestore = async (tx: Transaction, row: typeof restores.$inferInsert) => {
  const [restore] = await tx
    .insert(restores)
    .values(row)
    .onConflictDoNothing()
    .returning(shownFields);
  return restore;
};

const serverIsThere = (db: Queryable) =>
  exists(
    db
      .select({ id: servers.id })
      .from(servers)
      .where(and(eq(servers.id, serverId), isNull(servers.deletedAt))),
  );

/** As its owner sees it: gone with the server. */
export const findRestore = async (db: Queryable, owner: RestoreOwner) => {
  const [restore] = await db
    .select(shownFields)
    .from(restores)
    .where(and(ofOwner(owner), serverIsThere(db)));
  return restore;
};

/** Undefined where it has ended. */
export const requestCancel = async (tx: Transaction, owner: RestoreOwner) => {
  const [restore] = await tx
    .update(restores)
    .set({ isCancelRequested: true })
    .where(and(ofOwner(owner), isActive))
    .returning(shownFields);
  return restore;
};

/** All a worker needs; undefined where there is nothing left to do. */
export const findActiveRestore = async (db: Queryable, owner: RestoreOwner) => {
  const [restore] = await db
    .select({
      ...shownFields,
      accountId,
      groundwork: restores.groundwork,
    })
    .from(restores)
    .where(and(ofOwner(owner), isActive));
  return restore;
};

export const updateRestore = async (
  db: Queryable,
  owner: RestoreOwner,
  changes: Partial<typeof restores.$inferInsert>,
): Promise<void> => {
  await db
    .update(restores)
    .set(changes)
    .where(and(ofOwner(owner), isActive));
};

export const beginRestore = (db: Queryable, owner: RestoreOwner): Promise<void> =>
  updateRestore(db, owner, {
    status: sql`case when ${status} = 'queued' then 'snapshotting' else ${status} end` as never,
    startedAt: sql`coalesce(${restores.startedAt}, now())` as never,
  });

/** Why it should end before its work is done, if so: its owner asked for it, or its server is gone. */
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
      isThere: sql<boolean>`${serverIsThere(db)} and ${exists(sources)}`,
    })
    .from(restores)
    .where(and(ofOwner(owner), isActive));
  if (!restore?.isThere) return 'gone';
  return restore.isCancelRequested ? 'cancelled' : undefined;
};

const stepsAtATime = 500;

/** From here on the work is known, and whoever takes over goes on with it. */
export const storePlan = async (
  tx: Transaction,
  owner: RestoreOwner,
  { steps, groundwork }: { steps: readonly Step[]; groundwork: Groundwork },
): Promise<void> => {
  const rows = steps.map((step) => ({ ...step, restoreId: owner.restoreId }));
  for (let from = 0; from < rows.length; from += stepsAtATime) {
    await tx.insert(restoreSteps).values(rows.slice(from, from + stepsAtATime));
  }
  await updateRestore(tx, owner, {
    status: 'running',
    stepsTotal: steps.length,
    groundwork,
    warnings: groundwork.warnings,
  });
};

export type StepRow = Awaited<ReturnType<typeof listSteps>>[number];

export const listSteps = (db: Queryable, owner: RestoreOwner) => {
  const own = db.select({ id }).from(restores).where(ofOwner(owner));
  return db
    .select({
      seq: restoreSteps.seq,
      stage: restoreSteps.stage,
      after: restoreSteps.after,
      action: restoreSteps.action,
      type: restoreSteps.type,
      name: restoreSteps.name,
      effect: restoreSteps.effect,
      status: restoreSteps.status,
      createdId: restoreSteps.createdId,
      error: restoreSteps.error,
    })
    .from(restoreSteps)
    .where(inArray(restoreSteps.restoreId, own))
    .orderBy(asc(restoreSteps.seq));
};

const stepOf = ({ restoreId }: RestoreOwner, seq: number) =>
  and(eq(restoreSteps.restoreId, restoreId), eq(restoreSteps.seq, seq));

export const markStepBegun = async (
  tx: Transaction,
  owner: RestoreOwner,
  seq: number,
): Promise<void> => {
  await tx.update(restoreSteps).set({ status: 'begun' }).where(stepOf(owner, seq));
};

type StepEnd = {
  status: Extract<(typeof stepStatuses)[number], 'done' | 'failed'>;
  createdId?: string;
  error?: string;
};

export const markStepEnded = async (
  tx: Transaction,
  owner: RestoreOwner,
  seq: number,
  end: StepEnd,
): Promise<void> => {
  await tx.update(restoreSteps).set(end).where(stepOf(owner, seq));
  const counted = end.status === 'done' ? 'stepsDone' : 'stepsFailed';
  await updateRestore(tx, owner, { [counted]: sql`${restores[counted]} + 1` });
};

/** False where it had ended already. The backup it read can be deleted from now on. */
export const endRestore = async (
  tx: Transaction,
  owner: RestoreOwner,
  end: {
    status: 'completed' | 'partial' | 'failed' | 'cancelled';
    error?: string;
    warnings?: string[];
  },
): Promise<boolean> => {
  const ended = await tx
    .update(restores)
    .set({ ...end, heldBackupId: null, completedAt: sql`now()` })
    .where(and(ofOwner(owner), isActive))
    .returning({ id });
  return ended.length > 0;
};

/** What ended restores of an account wrote down, but for their steps. */
export const listEndedRestores = (db: Queryable, ownerId: string) =>
  db
    .select({ id, createdAt, warnings: restores.warnings, groundwork: restores.groundwork })
    .from(restores)
    .where(and(eq(accountId, ownerId), notInArray(status, [...activeStatuses])));

export const redactRestore = async (
  db: Queryable,
  owner: RestoreOwner,
  redacted: Pick<typeof restores.$inferInsert, 'warnings' | 'groundwork'>,
): Promise<void> => {
  await db.update(restores).set(redacted).where(ofOwner(owner));
};

export const redactStep = async (
  db: Queryable,
  owner: RestoreOwner,
  seq: number,
  redacted: Pick<typeof restoreSteps.$inferInsert, 'action' | 'name'>,
): Promise<void> => {
  const own = db.select({ id }).from(restores).where(ofOwner(owner));
  await db
    .update(restoreSteps)
    .set(redacted)
    .where(and(stepOf(owner, seq), inArray(restoreSteps.restoreId, own)));
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

export const purgeRestores: ServerPurger = async (tx, purgedServerId) => {
  const gone = await tx.delete(restores).where(eq(serverId, purgedServerId)).returning({ id });
  return gone.length;
};

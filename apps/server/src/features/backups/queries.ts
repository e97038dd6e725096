import type { PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, inArray, lt, ne, notInArray, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { backups } from './table.ts';

const { id, accountId, serverId, createdAt, status, kind } = backups;

export const backupFields = {
  id,
  serverId,
  name: backups.name,
  kind,
  status,
  progress: backups.progress,
  components: backups.components,
  counts: backups.counts,
  sizeBytes: backups.sizeBytes,
  storedBytes: backups.storedBytes,
  checksum: backups.checksum,
  suspicious: backups.suspicious,
  restorable: backups.restorable,
  provedAt: backups.provedAt,
  warnings: sql<string[]>`${backups.warnings} || ${backups.losses}`,
  error: backups.error,
  createdAt,
  startedAt: backups.startedAt,
  completedAt: backups.completedAt,
  verifiedAt: backups.verifiedAt,
};

type Server = { id: string; accountId: string };
export type BackupOwner = { accountId: string; backupId: string };

const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));
const ofOwner = (owner: BackupOwner) => and(eq(id, owner.backupId), eq(accountId, owner.accountId));

export const listBackups = async (db: Queryable, server: Server, { page, limit }: PageQuery) => {
  const rows = await db
    .select(backupFields)
    .from(backups)
    .where(ofServer(server))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .offset((page - 1) * limit);
  return { rows, total: await countBackupsOfServer(db, server) };
};

export const countBackupsOfServer = async (db: Queryable, server: Server): Promise<number> => {
  const [counted] = await db.select({ total: count() }).from(backups).where(ofServer(server));
  return counted?.total ?? 0;
};

/** Safety snapshots are free, and one that failed keeps nothing. */
export const countChargedBackups = async (db: Queryable, ownerId: string): Promise<number> => {
  const [counted] = await db
    .select({ total: count() })
    .from(backups)
    .where(and(eq(accountId, ownerId), ne(kind, 'PRE_RESTORE'), ne(status, 'failed')));
  return counted?.total ?? 0;
};

export const insertBackup = async (tx: Transaction, row: typeof backups.$inferInsert) => {
  const [backup] = await tx.insert(backups).values(row).returning(backupFields);
  if (!backup) throw new Error('The backup was not stored');
  return backup;
};

export const findBackupOfServer = async (db: Queryable, server: Server, backupId: string) => {
  const [backup] = await db
    .select(backupFields)
    .from(backups)
    .where(and(ofServer(server), eq(id, backupId)));
  return backup;
};

/** All a job needs to know. */
export const findBackup = async (db: Queryable, owner: BackupOwner) => {
  const [backup] = await db
    .select({ ...backupFields, accountId, messagesPerChannel: backups.messagesPerChannel })
    .from(backups)
    .where(ofOwner(owner));
  return backup;
};

/** From when on its worker may have read the server. */
export const savedAtOf = (backup: { startedAt: Date | null; createdAt: Date }): Date =>
  backup.startedAt ?? backup.createdAt;

/** Not while somebody holds it, as a restore does that reads it. */
export const deleteBackup = async (tx: Transaction, server: Server, backupId: string) => {
  const [backup] = await tx
    .delete(backups)
    .where(and(ofServer(server), eq(id, backupId)))
    .returning({ id, name: backups.name, kind });
  return backup;
};

/** Whether it is there; it cannot be deleted until the transaction ends. */
export const holdBackup = async (tx: Transaction, server: Server, backupId: string) => {
  const [backup] = await tx
    .select(backupFields)
    .from(backups)
    .where(and(ofServer(server), eq(id, backupId)))
    .for('key share');
  return backup;
};

/** Nobody can begin to restore it until the transaction ends. */
export const lockBackup = async (tx: Transaction, owner: BackupOwner) => {
  const [backup] = await tx
    .select({ checksum: backups.checksum })
    .from(backups)
    .where(ofOwner(owner))
    .for('update');
  return backup;
};

export const updateBackup = async (
  db: Queryable,
  owner: BackupOwner,
  changes: Partial<typeof backups.$inferInsert>,
): Promise<void> => {
  await db.update(backups).set(changes).where(ofOwner(owner));
};

/** Not where the backup was rewritten meanwhile: it is tested anew. */
export const storeVerdict = async (
  db: Queryable,
  owner: BackupOwner,
  checksum: string,
  verdict: Pick<typeof backups.$inferInsert, 'restorable' | 'losses' | 'verifiedAt' | 'provedAt'>,
): Promise<void> => {
  await db
    .update(backups)
    .set(verdict)
    .where(and(ofOwner(owner), eq(backups.checksum, checksum)));
};

/** Told by whoever takes it, without waiting: what comes late must not spoil an end. */
export const tellProgress = async (
  db: Queryable,
  owner: BackupOwner,
  progress: number,
): Promise<void> => {
  await db
    .update(backups)
    .set({ progress })
    .where(and(ofOwner(owner), eq(status, 'running')));
};

/** False where it had ended already. */
export const beginBackup = async (db: Queryable, owner: BackupOwner): Promise<boolean> => {
  const begun = await db
    .update(backups)
    .set({ status: 'running', startedAt: sql`coalesce(${backups.startedAt}, now())`, warnings: [] })
    .where(and(ofOwner(owner), inArray(status, ['queued', 'running'])))
    .returning({ id });
  return begun.length > 0;
};

type Ending =
  | { status: 'failed'; error: string }
  | (Pick<
      typeof backups.$inferInsert,
      'checksum' | 'components' | 'counts' | 'sizeBytes' | 'storedBytes'
    > & {
      status: 'completed';
      suspicious: boolean;
      warnings: string[];
    });

/** False where it had ended already, or was deleted meanwhile. */
export const endBackup = async (
  tx: Transaction,
  owner: BackupOwner,
  ending: Ending,
): Promise<boolean> => {
  const isComplete = ending.status === 'completed';
  const ended = await tx
    .update(backups)
    .set({
      ...ending,
      completedAt: sql`now()`,
      ...(isComplete && { progress: 100, verifiedAt: sql`now()` }),
    })
    .where(and(ofOwner(owner), inArray(status, ['queued', 'running'])))
    .returning({ id });
  return ended.length > 0;
};

/** None of them is what this server looked like when it was last well. */
const notOfServersOwn = ['PRE_RESTORE', 'MARKETPLACE'] as const;

/** The newest one that can be taken as good: nothing was missing, or its owner wanted it so. */
export const findBaseline = async (db: Queryable, server: Server) => {
  const [backup] = await db
    .select({ id, checksum: backups.checksum })
    .from(backups)
    .where(
      and(
        ofServer(server),
        eq(status, 'completed'),
        notInArray(kind, [...notOfServersOwn]),
        or(eq(backups.suspicious, false), eq(kind, 'MANUAL')),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(1);
  return backup?.checksum ? { id: backup.id, checksum: backup.checksum } : undefined;
};

/** What no drill was held of since `before`, the longest waiting first. */
export const listBackupsToProve = (db: Queryable, before: Date, most: number) =>
  db
    .select({ backupId: id, accountId })
    .from(backups)
    .where(and(eq(status, 'completed'), lt(backups.provedAt, before)))
    .orderBy(backups.provedAt)
    .limit(most);

/** Few at a time: each of them takes its many references along. */
const backupsAtATime = 10;

/** Deletes some of a server's, and says whose they were. */
export const deleteSomeBackups = async (tx: Transaction, ofServerId: string) => {
  const some = tx
    .select({ id })
    .from(backups)
    .where(eq(serverId, ofServerId))
    .limit(backupsAtATime);
  return tx.delete(backups).where(inArray(id, some)).returning({ accountId });
};

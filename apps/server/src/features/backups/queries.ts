import type { BackupComponent, BackupCounts, PageQuery } from '@holdfast/contract';
import { and, desc, eq, inArray, isNotNull, lt, ne, notInArray, or, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../db/connect.ts';
import { countRows, listPage } from '../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { countsOf } from './rules.ts';
import { backups } from './table.ts';

const { id, accountId, serverId, createdAt, status, kind } = backups;

/** Rows of earlier versions do not count every component. */
const noCounts = sql.raw(`'${JSON.stringify(countsOf({}))}'::jsonb`);

/** Where a key has accepted a server's state: until then it can be taken back by deleting this. */
const pending = sql<{ action: 'accept'; at: Date } | null>`case
  when ${status} = 'queued' then ${backups.acceptsAt} end`.mapWith((at: Date | string) => ({
  action: 'accept' as const,
  at: new Date(at),
}));

const backupFields = {
  id,
  serverId,
  /** A document shows no state of the server, and every capture one: so it is known by that. */
  isImported: sql<boolean>`${backups.health} = 'LOST'`,
  name: backups.name,
  kind,
  status,
  progress: backups.progress,
  components: backups.components,
  counts: sql<BackupCounts>`${noCounts} || ${backups.counts}`,
  sizeBytes: backups.sizeBytes,
  storedBytes: backups.storedBytes,
  checksum: backups.checksum,
  suspicious: backups.suspicious,
  restorable: backups.restorable,
  provedAt: backups.provedAt,
  warnings: sql<string[]>`${backups.warnings} || ${backups.losses}`,
  error: backups.error,
  pending,
  createdAt,
  startedAt: backups.startedAt,
  completedAt: backups.completedAt,
  verifiedAt: backups.verifiedAt,
};

type Server = { id: string; accountId: string };
export type BackupOwner = { accountId: string; backupId: string };

/** A program's own, which its owner never sees. */
const isKept = eq(backups.isTemporary, false);

const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));
const ofOwner = (owner: BackupOwner) => and(eq(id, owner.backupId), eq(accountId, owner.accountId));

export const listBackups = (db: Queryable, server: Server, query: PageQuery) =>
  listPage(
    query,
    db
      .select(backupFields)
      .from(backups)
      .where(and(ofServer(server), isKept))
      .orderBy(desc(createdAt), desc(id)),
    countBackupsOfServer(db, server),
  );

export const countBackupsOfServer = (db: Queryable, server: Server): Promise<number> =>
  countRows(db, backups, and(ofServer(server), isKept));

/** Safety backups are free, and a failed backup stores nothing. */
export const countChargedBackups = (db: Queryable, ownerId: string): Promise<number> =>
  countRows(
    db,
    backups,
    and(eq(accountId, ownerId), ne(kind, 'PRE_RESTORE'), ne(status, 'failed')),
  );

export const insertBackup = async (tx: Transaction, row: typeof backups.$inferInsert) => {
  const [backup] = await tx.insert(backups).values(row).returning(backupFields);
  if (!backup) throw new Error('The backup was not stored');
  markChanged(tx, row, 'backups');
  return backup;
};

export const findBackupOfServer = (db: Queryable, server: Server, backupId: string) =>
  firstRow(
    db
      .select(backupFields)
      .from(backups)
      .where(and(ofServer(server), eq(id, backupId))),
  );

/** With what only jobs need. */
export const findBackup = (db: Queryable, owner: BackupOwner) =>
  firstRow(
    db
      .select({
        ...backupFields,
        accountId,
        messagesPerChannel: backups.messagesPerChannel,
        structure: backups.structure,
        acceptedAt: backups.acceptedAt,
        isTemporary: backups.isTemporary,
      })
      .from(backups)
      .where(ofOwner(owner)),
  );

/** The earliest moment at which its worker can have read the guild. */
export const savedAtOf = (backup: { startedAt: Date | null; createdAt: Date }): Date =>
  backup.startedAt ?? backup.createdAt;

/** Violates a constraint while a restore reads the backup. */
export const deleteBackup = (tx: Transaction, server: Server, backupId: string) =>
  firstRow(
    tx
      .delete(backups)
      .where(and(ofServer(server), eq(id, backupId)))
      .returning({ id, name: backups.name, kind }),
  );

/** What a key has accepted and is not taken yet. */
export const deleteWaitingAcceptance = async (tx: Transaction, server: Server): Promise<void> => {
  await tx
    .delete(backups)
    .where(and(ofServer(server), eq(status, 'queued'), isNotNull(backups.acceptsAt)));
};

/** Finds a backup that cannot be deleted until the transaction ends. */
export const holdBackup = (tx: Transaction, server: Server, backupId: string) =>
  firstRow(
    tx
      .select(backupFields)
      .from(backups)
      .where(and(ofServer(server), eq(id, backupId)))
      .for('key share'),
  );

/** No restore of it can begin until the transaction ends. */
export const lockBackup = (tx: Transaction, owner: BackupOwner) =>
  firstRow(
    tx.select({ checksum: backups.checksum }).from(backups).where(ofOwner(owner)).for('update'),
  );

export const updateBackup = async (
  db: Queryable,
  owner: BackupOwner,
  changes: Partial<typeof backups.$inferInsert>,
) => {
  const changed = await db
    .update(backups)
    .set(changes)
    .where(ofOwner(owner))
    .returning({ serverId });
  markBackups(db, owner, changed);
};

/** Its progress too: open pages follow it. */
const markBackups = (db: Queryable, owner: BackupOwner, changed: { serverId: string }[]): void => {
  for (const { serverId } of changed) {
    markChanged(db, { accountId: owner.accountId, serverId }, 'backups');
  }
};

/** Locked, so that of two results at once the second is compared with the first. */
export const lockTested = (tx: Transaction, owner: BackupOwner) =>
  firstRow(
    tx
      .select({ serverId, checksum: backups.checksum, restorable: backups.restorable })
      .from(backups)
      .where(ofOwner(owner))
      .for('no key update'),
  );

/** Called without waiting, so a late call must not change a backup that has ended. */
export const storeProgress = async (db: Queryable, owner: BackupOwner, progress: number) => {
  const changed = await db
    .update(backups)
    .set({ progress })
    .where(and(ofOwner(owner), eq(status, 'running')))
    .returning({ serverId });
  markBackups(db, owner, changed);
};

/** False where it has ended already. */
export const beginBackup = async (db: Queryable, owner: BackupOwner): Promise<boolean> => {
  const begun = await db
    .update(backups)
    .set({
      status: 'running',
      startedAt: sql`coalesce(${backups.startedAt}, now())`,
      warnings: [],
    })
    .where(and(ofOwner(owner), inArray(status, ['queued', 'running'])))
    .returning({ serverId });
  markBackups(db, owner, begun);
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
    } & Partial<Pick<typeof backups.$inferInsert, 'health' | 'structure'>>);

/** False where it has ended already, or was deleted. */
export const endBackup = (tx: Transaction, owner: BackupOwner, ending: Ending) => {
  const isComplete = ending.status === 'completed';
  return hasRows(
    tx
      .update(backups)
      .set({
        ...ending,
        completedAt: sql`now()`,
        ...(isComplete && { progress: 100, verifiedAt: sql`now()` }),
      })
      .where(and(ofOwner(owner), inArray(status, ['queued', 'running'])))
      .returning({ id }),
  );
};

/** Neither shows the guild in a state that its owner wants to keep. */
const kindsWithoutBaseline = ['PRE_RESTORE', 'MARKETPLACE'] as const;

/** The newest good backup: it showed no mass deletion, or its owner created it by hand. */
export const findBaseline = async (db: Queryable, server: Server) => {
  const [backup] = await db
    .select({ id, checksum: backups.checksum })
    .from(backups)
    .where(
      and(
        ofServer(server),
        isKept,
        eq(status, 'completed'),
        notInArray(kind, [...kindsWithoutBaseline]),
        ne(backups.health, 'LOST'),
        or(eq(backups.suspicious, false), eq(kind, 'MANUAL')),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(1);
  return backup?.checksum ? { id: backup.id, checksum: backup.checksum } : undefined;
};

/** By which a guild is compared, and what a restore needs to rebuild it. */
const corePart: readonly BackupComponent[] = ['roles', 'channels'];

/** Taken while the server was damaged or lost, it shows nothing that its owner wants back. */
export const isTakenWhileGood = notInArray(backups.health, ['DAMAGED', 'LOST']);

/**
 * The last good backup: the newest completed one that was not taken while the server was damaged or
 * lost. One by which the owner accepts the present state is judged by that state. A safety backup is no
 * state that the owner wants, a bought template is none of this server, and a temporary one is soon gone. It
 * has the named parts.
 */
export const findLastGood = (
  db: Queryable,
  server: Server,
  { parts = corePart, completedBefore }: { parts?: typeof corePart; completedBefore?: Date } = {},
) =>
  firstRow(
    db
      .select({ ...backupFields, accountId, structure: backups.structure })
      .from(backups)
      .where(
        and(
          ofServer(server),
          isKept,
          eq(status, 'completed'),
          notInArray(kind, [...kindsWithoutBaseline]),
          isTakenWhileGood,
          sql`${backups.components} @> ${JSON.stringify(parts)}::text::jsonb`,
          completedBefore && lt(backups.completedAt, completedBefore),
        ),
      )
      .orderBy(desc(createdAt), desc(id))
      .limit(1),
  );

/** The last good backup that has roles and nicknames of members, as of that moment. */
export const findBackupOfMembers = (db: Queryable, server: Server, completedBefore?: Date) =>
  findLastGood(db, server, {
    parts: ['memberRoles'],
    ...(completedBefore && { completedBefore }),
  });

/** Completed backups without a test restore since `before`, the longest waiting first. */
export const listBackupsToTestRestore = (db: Queryable, before: Date, most: number) =>
  db
    .select({ backupId: id, accountId })
    .from(backups)
    // A literal, not a parameter: otherwise the partial index is not used.
    .where(and(sql`${status} = 'completed'`, lt(backups.provedAt, before)))
    .orderBy(backups.provedAt)
    .limit(most);

/** Few at a time, because all references of a backup are deleted with it. */
const backupsAtATime = 10;

/** Deletes some backups of a server; returns whose they were. */
export const deleteSomeBackups = async (tx: Transaction, ofServerId: string) => {
  const some = tx
    .select({ id })
    .from(backups)
    .where(eq(serverId, ofServerId))
    .limit(backupsAtATime);
  return tx.delete(backups).where(inArray(id, some)).returning({ accountId });
};

import { and, asc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { backupDueAt, hasBackupSchedule, servers } from '../../servers/table.ts';
import { isTakenWhileGood } from '../queries.ts';
import { backups } from '../table.ts';

export type ScheduledServer = { serverId: string; accountId: string };
/** One whose backup may be due, and since when, as PostgreSQL writes it. */
export type DueServer = ScheduledServer & { dueAt: string };

/** A cron tick that comes a little early counts, so that the backup does not wait for the next one. */
const slack = sql`interval '30 seconds'`;

/**
 * Backups of the future, which a clock that was set back leaves, do not delay the next one. By the time of
 * the statement: `now()` is when the transaction began, which may be before another worker's backup that
 * this transaction waited for.
 */
const lastScheduled = sql`(
  select max(${backups.createdAt}) from ${backups}
  where ${backups.serverId} = ${servers.id} and ${backups.kind} = 'SCHEDULED'
    and ${backups.createdAt} <= statement_timestamp()
)`;

const isDue = and(
  hasBackupSchedule,
  sql`coalesce(${lastScheduled} + make_interval(hours => (${servers.backupSchedule} ->> 'everyHours')::int) <= now() + ${slack}, true)`,
);

/**
 * Some servers whose backup may be due by what is stored of them, the longest waiting first. A server that is not
 * among them is not due, unless the release before deleted its last scheduled backup: then by its next turn.
 */
export const listDueServers = (
  db: Queryable,
  { after, most }: { after: DueServer | undefined; most: number },
): Promise<DueServer[]> =>
  db
    .select({
      serverId: servers.id,
      accountId: servers.accountId,
      dueAt: sql<string>`${backupDueAt}::text`,
    })
    .from(servers)
    .where(
      and(
        sql`${backupDueAt} <= (now() + ${slack}) at time zone 'UTC'`,
        after &&
          sql`(${backupDueAt}, ${servers.id}) > (${after.dueAt}::text::timestamp, ${after.serverId}::uuid)`,
      ),
    )
    .orderBy(backupDueAt, servers.id)
    .limit(most);

/** When their last scheduled backups were created, whether that is stored, and whether the next ones are due. */
export const listTurns = (tx: Transaction, serverIds: string[]) =>
  tx
    .select({
      serverId: servers.id,
      lastScheduledAt: sql<Date | null>`${lastScheduled}`.mapWith(servers.lastScheduledAt),
      isStored: sql<boolean>`${lastScheduled} is not distinct from ${servers.lastScheduledAt}`,
      isDue: sql<boolean>`${isDue}`,
    })
    .from(servers)
    .where(inArray(servers.id, serverIds));

/** Whether a backup is due. The server is locked, so that no other worker creates the same backup. */
export const isStillDue = (tx: Transaction, { serverId, accountId }: ScheduledServer) =>
  hasRows(
    tx
      .select({ id: servers.id })
      .from(servers)
      .where(and(eq(servers.id, serverId), eq(servers.accountId, accountId), isDue)),
  );

export const findRetention = async (db: Queryable, { serverId, accountId }: ScheduledServer) => {
  const [server] = await db
    .select({ retention: servers.retention })
    .from(servers)
    .where(
      and(eq(servers.id, serverId), eq(servers.accountId, accountId), isNull(servers.deletedAt)),
    );
  return server?.retention;
};

const scheduledOf = ({ serverId, accountId }: ScheduledServer) =>
  and(
    eq(backups.serverId, serverId),
    eq(backups.accountId, accountId),
    eq(backups.kind, 'SCHEDULED'),
  );

/** Completed ones, oldest first. One that failed its test restore, or is not good, counts as suspicious. */
export const listScheduled = (db: Queryable, server: ScheduledServer) =>
  db
    .select({
      id: backups.id,
      name: backups.name,
      createdAt: backups.createdAt,
      suspicious: sql<boolean>`(${backups.suspicious} or ${backups.restorable} is false or not ${isTakenWhileGood})`,
    })
    .from(backups)
    .where(and(scheduledOf(server), eq(backups.status, 'completed')))
    .orderBy(asc(backups.createdAt), asc(backups.id));

export const hasScheduledInProgress = (db: Queryable, server: ScheduledServer) =>
  hasRows(
    db
      .select({ id: backups.id })
      .from(backups)
      .where(and(scheduledOf(server), inArray(backups.status, ['queued', 'running'])))
      .limit(1),
  );

/** Failed backups are shown for a week. */
export const deleteOldFailures = async (db: Queryable, server: ScheduledServer) => {
  await db
    .delete(backups)
    .where(
      and(
        scheduledOf(server),
        eq(backups.status, 'failed'),
        lt(backups.createdAt, sql`now() - interval '7 days'`),
      ),
    );
};

export const deleteScheduled = (tx: Transaction, server: ScheduledServer, id: string) =>
  tx
    .delete(backups)
    .where(and(scheduledOf(server), eq(backups.id, id)))
    .returning({ id: backups.id });

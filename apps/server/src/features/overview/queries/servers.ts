import { and, count, desc, eq, inArray, isNull, ne, notInArray, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { backups } from '../../backups/table.ts';
import { bots } from '../../bots/table.ts';
import { memberCounts } from '../../members/table.ts';
import { panels } from '../../panels/table.ts';
import { whyNotStopped } from '../../protection/queries/executors.ts';
import { incidentStatus } from '../../protection/queries/of-incident.ts';
import { incidentExecutors, incidents } from '../../protection/table.ts';
import { pulls } from '../../pulls/table.ts';
import { restores } from '../../restores/table.ts';
import { isConnected } from '../../servers/health/queries.ts';
import { servers } from '../../servers/table.ts';
import { appeals } from '../../verification/table.ts';

/* Each query covers all servers of an account, so that their number does not matter. */

const maxServers = 100;

export const listServersWithBots = (db: Queryable, accountId: string) =>
  db
    .select({
      id: servers.id,
      name: servers.name,
      iconUrl: servers.iconUrl,
      memberCount: servers.memberCount,
      backupSchedule: servers.backupSchedule,
      verifiedRoleId: servers.verifiedRoleId,
      logChannelId: servers.logChannelId,
      missingRoleId: servers.missingRoleId,
      missingChannelId: servers.missingChannelId,
      health: servers.health,
      healthReasons: servers.healthReasons,
      isConnected,
      lastGoodBackupId: servers.lastGoodBackupId,
      botId: bots.id,
      botName: bots.name,
      isActive: bots.isActive,
      refusedAt: bots.refusedAt,
      secretRefusedAt: bots.secretRefusedAt,
    })
    .from(servers)
    .innerJoin(bots, eq(bots.id, servers.customBotId))
    .where(and(eq(servers.accountId, accountId), isNull(servers.deletedAt)))
    .orderBy(desc(servers.createdAt), desc(servers.id))
    .limit(maxServers);

export const countMembersByServer = (db: Queryable, serverIds: string[]) =>
  db
    .select({
      serverId: memberCounts.serverId,
      members: sql<number>`sum(${memberCounts.total})`.mapWith(Number),
      pullableMembers: sql<number>`sum(${memberCounts.pullable})`.mapWith(Number),
    })
    .from(memberCounts)
    .where(inArray(memberCounts.serverId, serverIds))
    .groupBy(memberCounts.serverId);

export const countOpenAppealsByServer = (db: Queryable, accountId: string, serverIds: string[]) =>
  db
    .select({ serverId: appeals.serverId, total: count() })
    .from(appeals)
    .where(
      and(
        inArray(appeals.serverId, serverIds),
        eq(appeals.accountId, accountId),
        eq(appeals.status, 'OPEN'),
      ),
    )
    .groupBy(appeals.serverId);

export const countPostedPanels = (db: Queryable, accountId: string, serverIds: string[]) =>
  db
    .select({ serverId: panels.serverId, total: count() })
    .from(panels)
    .where(
      and(
        inArray(panels.serverId, serverIds),
        eq(panels.accountId, accountId),
        eq(panels.status, 'POSTED'),
        isNull(panels.deletedAt),
      ),
    )
    .groupBy(panels.serverId);

/** A safety backup, a bought template or a temporary backup does not count as a backup of the server. */
export const listLastBackups = (db: Queryable, accountId: string, serverIds: string[]) => {
  // For each server by itself, and by it alone: only its last backup is read so, however many the account has.
  const last = db
    .select({
      id: backups.id,
      completedAt: backups.completedAt,
      restorable: backups.restorable,
      suspicious: backups.suspicious,
    })
    .from(backups)
    .where(
      and(
        eq(backups.serverId, servers.id),
        eq(backups.status, 'completed'),
        notInArray(backups.kind, ['PRE_RESTORE', 'MARKETPLACE']),
        eq(backups.isTemporary, false),
      ),
    )
    .orderBy(desc(backups.createdAt), desc(backups.id))
    .limit(1)
    .as('last');
  const { id, completedAt, restorable, suspicious } = last;
  return db
    .select({ serverId: servers.id, id, completedAt, restorable, suspicious })
    .from(servers)
    .innerJoinLateral(last, sql`true`)
    .where(and(eq(servers.accountId, accountId), inArray(servers.id, serverIds)));
};

/** Of any kind, because each of them may be needed. */
export const listUnrestorableByServer = (db: Queryable, accountId: string) =>
  db
    .select({
      serverId: backups.serverId,
      total: count(),
      newestId: sql<string>`(array_agg(${backups.id} order by ${backups.createdAt} desc, ${backups.id} desc))[1]`,
    })
    .from(backups)
    .where(
      and(
        eq(backups.accountId, accountId),
        eq(backups.status, 'completed'),
        // A literal, not a parameter: otherwise the partial index is not used.
        sql`${backups.restorable} is false`,
      ),
    )
    .groupBy(backups.serverId);

/** Of each server and kind the newest that has not ended. */
export const listOpenIncidents = (db: Queryable, accountId: string, serverIds: string[]) =>
  db
    .selectDistinctOn([incidents.serverId, incidents.kind], {
      serverId: incidents.serverId,
      id: incidents.id,
      kind: incidents.kind,
      status: incidentStatus,
    })
    .from(incidents)
    .where(areOpen(accountId, serverIds))
    .orderBy(incidents.serverId, incidents.kind, desc(incidents.createdAt), desc(incidents.id));

const areOpen = (accountId: string, serverIds: string[]) =>
  and(
    inArray(incidents.serverId, serverIds),
    eq(incidents.accountId, accountId),
    isNull(incidents.endedAt),
  );

/** Of each open incident: how many took part, and how many of them could not be stopped. */
export const countAttackers = (db: Queryable, accountId: string, serverIds: string[]) =>
  db
    .select({
      incidentId: incidentExecutors.incidentId,
      total: count(),
      unstopped: sql<number>`count(${whyNotStopped})::int`,
    })
    .from(incidentExecutors)
    .innerJoin(incidents, eq(incidents.id, incidentExecutors.incidentId))
    .where(areOpen(accountId, serverIds))
    .groupBy(incidentExecutors.incidentId);

/** A safety backup is part of its restore, a temporary one of what a program does. */
export const listRunningBackups = (db: Queryable, accountId: string) =>
  db
    .select({ serverId: backups.serverId, id: backups.id, progress: backups.progress })
    .from(backups)
    .where(
      and(
        eq(backups.accountId, accountId),
        inArray(backups.status, ['queued', 'running']),
        ne(backups.kind, 'PRE_RESTORE'),
        eq(backups.isTemporary, false),
      ),
    );

export const listRunningRestores = (db: Queryable, accountId: string, serverIds: string[]) =>
  db
    .select({
      serverId: restores.serverId,
      id: restores.id,
      status: restores.status,
      stepsTotal: restores.stepsTotal,
      stepsDone: restores.stepsDone,
      stepsFailed: restores.stepsFailed,
    })
    .from(restores)
    .where(
      and(
        inArray(restores.serverId, serverIds),
        eq(restores.accountId, accountId),
        inArray(restores.status, ['queued', 'snapshotting', 'running']),
      ),
    );

export const listRunningPulls = (db: Queryable, accountId: string, serverIds: string[]) =>
  db
    .select({
      serverId: pulls.serverId,
      id: pulls.id,
      status: pulls.status,
      total: pulls.total,
      processed: pulls.processed,
    })
    .from(pulls)
    .where(
      and(
        inArray(pulls.serverId, serverIds),
        eq(pulls.accountId, accountId),
        inArray(pulls.status, ['queued', 'running']),
      ),
    );

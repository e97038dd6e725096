import { and, asc, eq, like, not } from 'drizzle-orm';
import { firstRow } from '../../../src/db/queries/rows.ts';
import { alerts } from '../../../src/features/alerts/table.ts';
import { auditEntries } from '../../../src/features/audit/table.ts';
import { backups } from '../../../src/features/backups/table.ts';
import {
  incidentExecutors,
  incidentSteps,
  incidents,
  watchedGuilds,
} from '../../../src/features/protection/table.ts';
import { restores } from '../../../src/features/restores/table.ts';
import { servers } from '../../../src/features/servers/table.ts';
import type { Lane } from '../lane/lane.ts';

export const findWatched = ({ db, serverId }: Lane) =>
  firstRow(
    db
      .select({
        lastEntryId: watchedGuilds.lastEntryId,
        roles: watchedGuilds.roles,
        lastGoodBackupId: servers.lastGoodBackupId,
      })
      .from(watchedGuilds)
      .innerJoin(servers, eq(servers.id, watchedGuilds.serverId))
      .where(eq(watchedGuilds.serverId, serverId)),
  );

/** Every incident of the server, with all that its journal and the records around it say. */
export const listCourses = async ({ db, serverId }: Lane) => {
  const found = await db
    .select({
      id: incidents.id,
      status: incidents.status,
      trigger: incidents.trigger,
      invitesPausedUntil: incidents.invitesPausedUntil,
    })
    .from(incidents)
    .where(eq(incidents.serverId, serverId))
    .orderBy(asc(incidents.createdAt));
  return Promise.all(
    found.map(async (incident) => ({
      ...incident,
      executors: await db
        .select()
        .from(incidentExecutors)
        .where(eq(incidentExecutors.incidentId, incident.id)),
      steps: await db
        .select({ kind: incidentSteps.kind, status: incidentSteps.status })
        .from(incidentSteps)
        .where(eq(incidentSteps.incidentId, incident.id))
        .orderBy(asc(incidentSteps.seq)),
      audits: await db
        .select({ action: auditEntries.action })
        .from(auditEntries)
        .where(eq(auditEntries.subjectId, incident.id)),
    })),
  );
};

export type Course = Awaited<ReturnType<typeof listCourses>>[number];

export const countAlerts = ({ db, serverId }: Lane): Promise<number> =>
  db.$count(alerts, and(eq(alerts.serverId, serverId), eq(alerts.kind, 'INCIDENT')));

/** Those that containment took: a restore names its own after itself. */
export const listIncidentBackups = ({ db, serverId }: Lane) =>
  db
    .select({ status: backups.status })
    .from(backups)
    .where(
      and(
        eq(backups.serverId, serverId),
        eq(backups.kind, 'PRE_RESTORE'),
        not(like(backups.name, 'Before restore %')),
      ),
    );

export const listRepairs = ({ db, serverId }: Lane) =>
  db
    .select({ status: restores.status, warnings: restores.warnings, error: restores.error })
    .from(restores)
    .where(eq(restores.serverId, serverId));

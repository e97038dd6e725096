import {
  and,
  asc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { backups } from '../../backups/table.ts';
import { hasNoActiveRestore } from '../../restores/queries/restores.ts';
import { guildActs, incidentSteps, incidents, watchedGuilds } from '../table.ts';

type OfIncident = { accountId: string; incidentId: string };
type OfBackup = { serverId: string; backupId: string };

/** However long an attack went on, so many acts are looked at. */
const mostActs = 20_000;

/**
 * What was done in the guild from the first act of the incident on, by anybody, in the order of the audit
 * log: what others did since decides what is left to be undone. Of incidents that were under way then, the
 * first acts count as well: what one attacker set after another is no value to go back to. Since the backup
 * only what was part of any attack, and changes of power: whatever else there was is in the log.
 */
export const listActsToUndo = (
  db: Queryable,
  { accountId, incidentId, serverId, backupId }: OfIncident & OfBackup,
) => {
  const ofServer = and(eq(guildActs.serverId, serverId), eq(guildActs.accountId, accountId));
  const backedUpAt = db
    .select({ at: backups.createdAt })
    .from(backups)
    .where(and(eq(backups.id, backupId), eq(backups.accountId, accountId)));
  const sinceBackup = gte(guildActs.at, sql`(${backedUpAt})`);
  const first = db
    .select({ at: sql`min(${guildActs.at})` })
    .from(guildActs)
    .innerJoin(incidents, eq(incidents.id, guildActs.incidentId))
    .where(
      and(
        ofServer,
        or(
          eq(incidents.id, incidentId),
          and(
            ne(incidents.status, 'dismissed'),
            sql`coalesce(${incidents.endedAt}, 'infinity') > (${startOf(db, { accountId, incidentId })})`,
          ),
        ),
      ),
    );
  return db
    .select({
      entryId: guildActs.entryId,
      at: guildActs.at,
      executorId: guildActs.executorId,
      action: guildActs.action,
      targetId: guildActs.targetId,
      before: guildActs.before,
      after: guildActs.after,
      options: guildActs.options,
      isAttack: sql<boolean>`${guildActs.incidentId} is not distinct from ${incidentId}`,
      isOtherAttack: sql<boolean>`coalesce(${incidents.status} <> 'dismissed' and ${incidents.id} <> ${incidentId}, false)`,
      isOwn: sql<boolean>`coalesce(${guildActs.executorId} = ${watchedGuilds.botUserId}, false)`,
    })
    .from(guildActs)
    .leftJoin(incidents, eq(incidents.id, guildActs.incidentId))
    .leftJoin(watchedGuilds, eq(watchedGuilds.serverId, guildActs.serverId))
    .where(
      and(
        ofServer,
        or(
          eq(guildActs.incidentId, incidentId),
          and(isNotNull(guildActs.incidentId), sinceBackup),
          and(
            or(
              gte(guildActs.at, sql`(${first})`),
              and(eq(guildActs.action, 'memberRolesChanged'), sinceBackup),
            ),
            concernsUndo(db, { incidentId, ofServer }),
          ),
        ),
      ),
    )
    .orderBy(asc(guildActs.at), asc(sql`length(${guildActs.entryId})`), asc(guildActs.entryId))
    .limit(mostActs);
};

/**
 * In a month much is done to other things, which decides nothing. Invites have no id, and the onboarding is
 * one thing, whichever of its questions an entry names. What was made may stand for what was deleted, what
 * our own bot made again may have been edited, and webhooks and events go with their channel; of roles that
 * were deleted, or made again, it counts who was given them and where they may do what.
 */
const concernsUndo = (
  db: Queryable,
  { incidentId, ofServer }: { incidentId: string; ofServer: SQL | undefined },
) => {
  const { targetId, action, executorId, after, options } = guildActs;
  const targetsOf = (which: SQL | undefined) =>
    db
      .select({ targetId: sql<string>`${targetId}`.as('touched_id') })
      .from(guildActs)
      .leftJoin(watchedGuilds, eq(watchedGuilds.serverId, guildActs.serverId))
      .where(and(ofServer, which));
  const isAttack = eq(guildActs.incidentId, incidentId);
  const isOwn = eq(executorId, watchedGuilds.botUserId);
  const remade = targetsOf(
    or(and(isAttack, eq(action, 'roleDeleted')), and(isOwn, eq(action, 'roleCreated'))),
  ).as('remade');
  return or(
    isNull(targetId),
    like(action, 'onboarding%'),
    like(action, 'webhook%'),
    like(action, 'event%'),
    like(action, '%Created'),
    inArray(targetId, targetsOf(or(isAttack, and(isOwn, like(action, '%Created'))))),
    sql`exists (select 1 from ${remade} where ${options}->>'subjectId' = touched_id
      or (${action} = 'memberRolesChanged' and ${after}::text like '%"' || touched_id || '"%'))`,
  );
};

const startOf = (db: Queryable, { accountId, incidentId }: OfIncident) => {
  const ofIncident = and(eq(incidents.id, incidentId), eq(incidents.accountId, accountId));
  return db.select({ at: incidents.firstActAt }).from(incidents).where(ofIncident);
};

/** So many acts are known of it. */
export const countIncidentActs = (
  db: Queryable,
  { accountId, incidentId }: OfIncident,
): Promise<number> =>
  db.$count(
    guildActs,
    and(eq(guildActs.incidentId, incidentId), eq(guildActs.accountId, accountId)),
  );

export const setRepair = async (
  tx: Transaction,
  { accountId, incidentId }: OfIncident,
  repairRestoreId: string,
): Promise<void> => {
  await tx
    .update(incidents)
    .set({ repairRestoreId })
    .where(and(eq(incidents.id, incidentId), eq(incidents.accountId, accountId)));
};

/** False where it has ended already, or another repair has begun since. */
export const markRepaired = async (
  tx: Transaction,
  { accountId, incidentId, restoreId }: OfIncident & { restoreId: string },
): Promise<boolean> => {
  const repaired = await tx
    .update(incidents)
    .set({ status: 'repaired', endedAt: sql`clock_timestamp()`, heldBackupId: null })
    .where(
      and(
        eq(incidents.id, incidentId),
        eq(incidents.accountId, accountId),
        eq(incidents.repairRestoreId, restoreId),
        ne(incidents.status, 'repaired'),
      ),
    )
    .returning({ id: incidents.id });
  return repaired.length > 0;
};

/** Those that wait for a restore of their server which has ended: of one server, or of all. */
export const listWaitingRepairs = (
  db: Queryable,
  most: number,
  server?: { accountId: string; serverId: string },
) =>
  db
    .selectDistinct({ accountId: incidents.accountId, incidentId: incidents.id })
    .from(incidents)
    .innerJoin(incidentSteps, eq(incidentSteps.incidentId, incidents.id))
    .where(
      and(
        server && eq(incidents.serverId, server.serverId),
        server && eq(incidents.accountId, server.accountId),
        isNull(incidents.endedAt),
        eq(incidentSteps.kind, 'AWAIT_RESTORE'),
        eq(incidentSteps.status, 'begun'),
        hasNoActiveRestore(db, incidents.serverId),
      ),
    )
    .limit(most);

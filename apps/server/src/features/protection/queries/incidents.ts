import type { PageQuery, ThresholdKind } from '@holdfast/contract';
import { and, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import { guildActs, incidentExecutors, incidents, type PendingDecision } from '../table.ts';
import { whyNotStopped } from './executors.ts';
import { incidentStatus } from './of-incident.ts';

type OfAccount = { accountId: string; incidentId: string };

const { id, accountId, serverId, createdAt } = incidents;

const fields = {
  ...{ id, accountId, serverId, createdAt },
  kind: incidents.kind,
  status: incidentStatus,
  firstActAt: incidents.firstActAt,
  detectedAt: incidents.detectedAt,
  containedAt: incidents.containedAt,
  backupId: incidents.backupId,
  repairRestoreId: incidents.repairRestoreId,
  pending: incidents.pending,
  endedAt: incidents.endedAt,
};

/** With a server that is deleted its incidents are gone, long before its purge comes to them. */
export const ofLivingServer = sql`exists (select 1 from ${servers}
  where ${servers.id} = ${serverId} and ${servers.deletedAt} is null)`;

const owned = (owner: OfAccount) =>
  and(eq(id, owner.incidentId), eq(accountId, owner.accountId), ofLivingServer);

export const listIncidents = (
  db: Queryable,
  owner: { accountId: string; serverId: string },
  query: PageQuery,
) => {
  const ofServer = and(eq(serverId, owner.serverId), eq(accountId, owner.accountId));
  return listPage(
    query,
    db.select(fields).from(incidents).where(ofServer).orderBy(desc(createdAt), desc(id)),
    countRows(db, incidents, ofServer),
  );
};

export const findIncident = (db: Queryable, owner: OfAccount) =>
  firstRow(db.select(fields).from(incidents).where(owned(owner)));

export const lockIncident = (tx: Transaction, owner: OfAccount) =>
  firstRow(tx.select(fields).from(incidents).where(owned(owner)).for('no key update'));

export type IncidentRow = NonNullable<Awaited<ReturnType<typeof findIncident>>>;

/** For an incident that is locked and has not ended. */
export const endIncident = async (
  tx: Transaction,
  owner: OfAccount,
  status: 'dismissed' | 'repaired',
): Promise<IncidentRow> => {
  const [ended] = await tx
    .update(incidents)
    .set({ status, endedAt: sql`clock_timestamp()`, pending: null, heldBackupId: null })
    .where(owned(owner))
    .returning(fields);
  if (!ended) throw new Error('The incident is gone');
  return ended;
};

/** For an incident that is locked: what a key has decided about it; null where nothing waits any more. */
export const setPending = async (
  tx: Transaction,
  owner: OfAccount,
  pending: PendingDecision | null,
): Promise<IncidentRow> => {
  const [changed] = await tx
    .update(incidents)
    .set({ pending })
    .where(owned(owner))
    .returning(fields);
  if (!changed) throw new Error('The incident is gone');
  markChanged(tx, changed, 'incidents');
  return changed;
};

/** The incidents of a server about which something is decided that waits. */
export const listPending = (db: Queryable, owner: { accountId: string; serverId: string }) =>
  db
    .select({ accountId, incidentId: id })
    .from(incidents)
    .where(
      and(
        eq(serverId, owner.serverId),
        eq(accountId, owner.accountId),
        isNotNull(incidents.pending),
      ),
    );

/**
 * Everyone who took part, in the order in which they were noticed. Who was stopped once, was given power
 * again and could not be stopped then is not stopped.
 */
export const listExecutors = (db: Queryable, incidentIds: string[]) =>
  db
    .select({
      incidentId: incidentExecutors.incidentId,
      platformId: incidentExecutors.platformId,
      username: incidentExecutors.username,
      isBot: incidentExecutors.isBot,
      stoppedAt:
        sql<Date | null>`case when ${whyNotStopped} is null then ${incidentExecutors.stoppedAt} end`.mapWith(
          incidentExecutors.stoppedAt,
        ),
      whyNotStopped,
      rolesTaken: incidentExecutors.rolesTaken,
    })
    .from(incidentExecutors)
    .where(inArray(incidentExecutors.incidentId, incidentIds))
    .orderBy(incidentExecutors.createdAt, incidentExecutors.platformId);

const lostKinds: ThresholdKind[] = ['channelDeletes', 'roleDeletes', 'emojiDeletes'];

/** How many acts of each kind, and how many objects they deleted. */
export const countActs = (db: Queryable, incidentIds: string[]) => {
  const lost = inArray(guildActs.kind, lostKinds);
  return db
    .select({
      // Only acts of these incidents are counted.
      incidentId: sql<string>`${guildActs.incidentId}`,
      kind: guildActs.kind,
      acts: sql<number>`count(*)::int`,
      lost: sql<number>`(count(distinct ${guildActs.targetId}) filter (where ${lost}))::int`,
    })
    .from(guildActs)
    .where(inArray(guildActs.incidentId, incidentIds))
    .groupBy(guildActs.incidentId, guildActs.kind);
};

import { and, eq, isNotNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { findBackupOfServer, findLastGood, holdBackup } from '../../backups/queries.ts';
import { guildActs, incidents } from '../table.ts';
import { isIncident, type OfIncident } from './of-incident.ts';

type Incident = OfIncident & { serverId: string };

const noBackup = { backupId: null, heldBackupId: null };

/**
 * Keeps the backup that the incident is repaired from: the last good one that was completed before its first
 * act, since a later one may show what the attackers did. It stays the same unless acts turn out to be older
 * than it. Called whenever acts were added to the incident, which is locked.
 */
export const pinBackup = async (tx: Transaction, owner: OfIncident): Promise<string | null> => {
  const incident = await findBeginning(tx, owner);
  if (!incident) return null;
  const { accountId, serverId } = incident;
  const backupId = await choosePinned(tx, { ...owner, serverId });
  if (backupId === incident.backupId) return backupId;
  const isThere =
    backupId !== null && (await holdBackup(tx, { id: serverId, accountId }, backupId));
  const pinned = isThere ? { backupId, heldBackupId: backupId } : noBackup;
  await tx.update(incidents).set(pinned).where(isIncident(owner));
  return pinned.backupId;
};

/** The same without keeping it: an incident of the release before has none until it is repaired. */
export const choosePinned = async (db: Queryable, owner: Incident): Promise<string | null> => {
  const incident = await findBeginning(db, owner);
  if (incident?.kind !== 'NUKE') return null;
  const server = { id: owner.serverId, accountId: owner.accountId };
  const pinned =
    incident.backupId === null
      ? undefined
      : await findBackupOfServer(db, server, incident.backupId);
  if (pinned?.completedAt && pinned.completedAt < incident.from) return pinned.id;
  const found = await findLastGood(db, server, { completedBefore: incident.from });
  return found?.id ?? null;
};

/** It begins with the oldest act that is known of it, whether or not that is of a kind that is watched. */
const findBeginning = (db: Queryable, owner: OfIncident) => {
  const firstAct = db
    .select({ at: sql`min(${guildActs.at})` })
    .from(guildActs)
    .where(and(eq(guildActs.incidentId, incidents.id), eq(guildActs.accountId, owner.accountId)));
  return firstRow(
    db
      .select({
        accountId: incidents.accountId,
        serverId: incidents.serverId,
        kind: incidents.kind,
        backupId: incidents.backupId,
        from: sql<Date>`least(${incidents.firstActAt}, (${firstAct}))`.mapWith(
          incidents.firstActAt,
        ),
      })
      .from(incidents)
      .where(isIncident(owner)),
  );
};

/** Lets go of what is kept for incidents that are too old to be repaired. */
export const releaseOldPins = async (db: Queryable, repairableSince: Date): Promise<void> => {
  await db
    .update(incidents)
    .set({ heldBackupId: null })
    .where(and(isNotNull(incidents.heldBackupId), lt(incidents.createdAt, repairableSince)));
};

/** Before the backups of a deleted server are deleted. */
export const releasePinsOfServer = async (
  db: Queryable,
  serverId: string,
  limit: number,
): Promise<number> => {
  const held = db
    .select({ id: incidents.id })
    .from(incidents)
    .where(and(eq(incidents.serverId, serverId), isNotNull(incidents.heldBackupId)))
    .limit(limit);
  const released = await db
    .update(incidents)
    .set({ heldBackupId: null })
    .where(sql`${incidents.id} in (${held})`)
    .returning({ id: incidents.id });
  return released.length;
};

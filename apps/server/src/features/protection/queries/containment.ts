import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { newId } from '../../../kernel/ids.ts';
import { servers } from '../../servers/table.ts';
import { type IncidentTrigger, incidents } from '../table.ts';
import { areAllStopped } from './executors.ts';
import { hasNobodyKnown } from './losses.ts';
import { isIncident, isOpen, type OfIncident, setAside } from './of-incident.ts';
import { isLive } from './watched.ts';

type Owned = { accountId: string; serverId: string };

type NewIncident = Owned & {
  guildId: string;
  trigger: IncidentTrigger;
  firstActAt: Date;
  detectedAt: Date;
};

/**
 * The incident that an attack on a server belongs to: the one that is live, else a new one; what else is
 * open from before is set aside. It is locked until the transaction ends, so the steps of its journal are numbered
 * one after the other.
 */
export const openIncident = async (
  tx: Transaction,
  { detectedAt, ...given }: NewIncident,
): Promise<{ incidentId: string; isNew: boolean }> => {
  await setOthersAside(tx, given, detectedAt);
  const live = await lockLive(tx, given, detectedAt);
  if (live) return { incidentId: live.id, isNew: false };
  const incidentId = newId();
  const isNew = await hasRows(
    tx
      .insert(incidents)
      .values({ id: incidentId, kind: 'NUKE', ...given, detectedAt })
      .onConflictDoNothing()
      .returning({ id: incidents.id }),
  );
  if (isNew) return { incidentId, isNew };
  const other = await lockLive(tx, given, detectedAt);
  if (!other) throw new Error('The incident ended while it was opened');
  return { incidentId: other.id, isNew: false };
};

const ofServer = ({ serverId, accountId }: Owned) =>
  and(eq(incidents.serverId, serverId), eq(incidents.accountId, accountId));

const lockLive = (tx: Transaction, given: Owned & { guildId: string }, now: Date) =>
  firstRow(
    tx
      .select({ id: incidents.id })
      .from(incidents)
      .where(and(ofServer(given), isLive(given.guildId, now)))
      .orderBy(desc(incidents.createdAt))
      .limit(1)
      .for('no key update'),
  );

const setOthersAside = async (
  tx: Transaction,
  given: Owned & { guildId: string },
  now: Date,
): Promise<void> => {
  const isOther = sql`not ${isLive(given.guildId, now)}`;
  await tx
    .update(incidents)
    .set(setAside)
    .where(and(ofServer(given), eq(incidents.kind, 'NUKE'), eq(incidents.status, 'open'), isOther));
};

/** With what its containment needs; undefined where it has ended or its server is gone. */
export const findToContain = (db: Queryable, owner: OfIncident) =>
  firstRow(
    db
      .select({
        serverId: incidents.serverId,
        accountId: incidents.accountId,
        guildId: incidents.guildId,
        firstActAt: incidents.firstActAt,
        invitesPausedUntil: incidents.invitesPausedUntil,
        snapshotBackupId: incidents.snapshotBackupId,
        botId: sql<string>`${servers.customBotId}`,
      })
      .from(incidents)
      .innerJoin(servers, eq(servers.id, incidents.serverId))
      .where(
        and(
          isIncident(owner),
          isNull(incidents.endedAt),
          isNull(servers.deletedAt),
          isNotNull(servers.customBotId),
          // What belongs to another guild than the server's is not touched.
          eq(servers.platformGuildId, incidents.guildId),
        ),
      ),
  );

export type ToContain = NonNullable<Awaited<ReturnType<typeof findToContain>>>;

export const lockToContain = (tx: Transaction, owner: OfIncident) =>
  firstRow(
    tx
      .select({ id: incidents.id })
      .from(incidents)
      .where(and(isIncident(owner), isNull(incidents.endedAt)))
      .for('no key update'),
  );

type Progress = Partial<
  Pick<typeof incidents.$inferInsert, 'invitesPausedUntil' | 'snapshotBackupId'>
>;

export const storeProgress = async (
  tx: Transaction,
  owner: OfIncident,
  progress: Progress,
): Promise<void> => {
  await tx.update(incidents).set(progress).where(isIncident(owner));
};

/** The attack began then, if not earlier. */
export const storeFirstAct = async (
  tx: Transaction,
  owner: OfIncident,
  at: Date,
): Promise<void> => {
  await tx
    .update(incidents)
    .set({ firstActAt: sql`least(${incidents.firstActAt}, ${at.toISOString()}::timestamptz)` })
    .where(isIncident(owner));
};

/** False where it was contained before, or somebody in it is not stopped. */
export const markContained = async (tx: Transaction, owner: OfIncident): Promise<boolean> => {
  if (!(await areAllStopped(tx, owner.incidentId))) return false;
  if (await hasNobodyKnown(tx, owner)) return false;
  const [changed] = await tx
    .update(incidents)
    .set({ status: 'contained', containedAt: sql`clock_timestamp()` })
    .where(and(isIncident(owner), isOpen))
    .returning({ serverId: incidents.serverId });
  if (changed) markChanged(tx, { ...owner, ...changed }, 'incidents');
  return changed !== undefined;
};

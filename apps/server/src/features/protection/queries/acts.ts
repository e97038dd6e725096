import {
  and,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  notExists,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { purgeByPlace } from '../../../db/queries/purge-rows.ts';
import type { AuditAction } from '../../../platform/gateway/events.ts';
import { guildActs, incidentExecutors, incidents, isPassingAct } from '../table.ts';
import type { ActKind } from '../watch/kinds.ts';
import { isIncident, mayBeRepaired, type OfIncident, takesInForHours } from './of-incident.ts';

type Owned = { accountId: string; serverId: string };

const { serverId, accountId, guildId, entryId, executorId } = guildActs;
const { kind, at, incidentId, targetId } = guildActs;

const owned = (owner: Owned) => and(eq(serverId, owner.serverId), eq(accountId, owner.accountId));

const rowsPerInsert = 200;

/** Those that were not stored before. */
export const insertActs = async (
  tx: Transaction,
  rows: readonly (typeof guildActs.$inferInsert)[],
): Promise<Set<string>> => {
  const stored = new Set<string>();
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const part = rows.slice(from, from + rowsPerInsert);
    const inserted = await tx
      .insert(guildActs)
      .values(part)
      .onConflictDoNothing()
      .returning({ entryId });
    for (const row of inserted) stored.add(row.entryId);
  }
  return stored;
};

/** However many acts a guild has, so many are judged at once. */
const mostJudged = 3000;

/** The newest acts of these kinds that belong to no incident. */
export const listActsToJudge = (
  db: Queryable,
  owner: Owned,
  { since, kinds }: { since: Date; kinds: readonly ActKind[] },
) =>
  db
    .select({ entryId, executorId, kind: sql<ActKind>`${kind}`, at, targetId })
    .from(guildActs)
    .where(and(owned(owner), gte(at, since), isNull(incidentId), inArray(kind, [...kinds])))
    .orderBy(sql`${at} desc`)
    .limit(mostJudged);

/** What was done since then and belongs to an incident already, the newest last. */
export const listEntriesOfIncidents = async (
  db: Queryable,
  owner: Owned,
  since: Date,
): Promise<string[]> => {
  const rows = await db
    .select({ entryId })
    .from(guildActs)
    .where(and(owned(owner), gte(at, since), isNotNull(incidentId)))
    .orderBy(sql`${at} desc`)
    .limit(mostJudged);
  return rows.map((row) => row.entryId).reverse();
};

const attachedFields = { kind: sql<ActKind>`${kind}`, targetId, at };

/** What those whom an incident names did, each since their own attack began, becomes part of it. */
export const attachActs = (tx: Transaction, incident: OfIncident) => {
  const executors = incidentExecutors;
  return tx
    .update(guildActs)
    .set({ incidentId: incident.incidentId })
    .from(executors)
    .innerJoin(incidents, eq(incidents.id, executors.incidentId))
    .where(
      and(
        isIncident(incident),
        eq(serverId, incidents.serverId),
        eq(accountId, incidents.accountId),
        eq(guildId, incidents.guildId),
        isNull(incidentId),
        eq(executorId, executors.platformId),
        gte(at, sql`coalesce(${executors.actsFrom}, ${executors.createdAt})`),
        lt(at, sql`${incidents.detectedAt} + make_interval(hours => ${takesInForHours})`),
        // Whoever has power again was forgiven, and what they do now is judged by itself.
        isNull(executors.returnStatus),
      ),
    )
    .returning(attachedFields);
};

/** What somebody did of one kind since then becomes part of an incident. */
export const attachActsOfKind = (
  tx: Transaction,
  owner: Owned,
  incident: OfIncident,
  part: { executorId: string; kind: ActKind; since: Date },
) =>
  tx
    .update(guildActs)
    .set({ incidentId: incident.incidentId })
    .where(
      and(
        owned(owner),
        isNull(incidentId),
        gte(at, part.since),
        eq(executorId, part.executorId),
        eq(kind, part.kind),
      ),
    )
    .returning(attachedFields);

export const setActKind = async (
  tx: Transaction,
  owner: Owned,
  act: { entryId: string; kind: ActKind },
): Promise<void> => {
  await tx
    .update(guildActs)
    .set({ kind: act.kind })
    .where(and(owned(owner), eq(entryId, act.entryId)));
};

/** Roles that were given while nothing was known of them. */
export const listActsOfUnknownRoles = (db: Queryable, owner: Owned) =>
  db
    .select({
      entryId,
      executorId,
      targetId,
      at,
      action: sql<AuditAction>`${guildActs.action}`,
      before: guildActs.before,
      after: guildActs.after,
    })
    .from(guildActs)
    .where(and(owned(owner), eq(kind, 'rolesGiven')))
    .limit(mostJudged);

/** Dangerous roles that people gave to themselves, of which it is not known yet by what power. */
export const listSelfGiven = (db: Queryable, owner: Owned, most: number) =>
  db
    .select({ entryId, executorId, at, before: guildActs.before, after: guildActs.after })
    .from(guildActs)
    .where(and(owned(owner), eq(kind, 'selfGiven')))
    .orderBy(at, entryId)
    .limit(most);

/** What attackers have put into the onboarding, as long as their incident is not over. */
export const listOffersOfIncidents = (db: Queryable, owner: Owned) =>
  db
    .select({ before: guildActs.before, after: guildActs.after })
    .from(guildActs)
    .innerJoin(incidents, eq(incidents.id, incidentId))
    .where(
      and(
        owned(owner),
        isNull(incidents.endedAt),
        eq(kind, 'dangerousGrants'),
        like(guildActs.action, 'onboarding%'),
      ),
    )
    .orderBy(sql`${at} desc`)
    .limit(mostOffers);

const mostOffers = 100;
const deletedAtOnce = 5000;

/** An incident can have acts from so long before the one that it is said to begin with. */
const earlierActs = sql`interval '1 hour'`;

type Since = { repairableSince: Date };

/**
 * Deletes acts that belong to no incident, some at a time; returns how many. What was done on a server since
 * an attack that may still be repaired is kept: by it a repair knows what honest people have changed.
 */
export const deletePassingActs = (db: Queryable, { before, ...since }: Since & { before: Date }) =>
  deleteActs(db, and(isPassingAct, lt(at, before)), since);

/** The same of changes of power, which are kept for as long as an attack may be repaired. */
export const deleteOldActs = (db: Queryable, since: Since) =>
  deleteActs(db, and(isNull(incidentId), lt(at, since.repairableSince)), since);

const deleteActs = async (
  db: Queryable,
  isDue: SQL | undefined,
  { repairableSince }: Since,
): Promise<number> => {
  const repairable = db
    .select({ id: incidents.id })
    .from(incidents)
    .where(
      and(
        eq(incidents.serverId, serverId),
        mayBeRepaired,
        gte(incidents.createdAt, repairableSince),
        lte(sql`${incidents.firstActAt} - ${earlierActs}`, at),
      ),
    );
  const old = db
    .select({ serverId, entryId })
    .from(guildActs)
    .where(and(isDue, notExists(repairable)))
    .limit(deletedAtOnce);
  const deleted = await db
    .delete(guildActs)
    .where(inArray(sql`(${serverId}, ${entryId})`, old))
    .returning({ entryId });
  return deleted.length;
};

export const purgeActsOfServer = purgeByPlace(guildActs);

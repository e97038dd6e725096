import { and, asc, eq, gt, inArray, ne, notExists, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { guildActs, incidentExecutors, incidents } from '../table.ts';
import type { ActKind } from '../watch/kinds.ts';
import { insertActs } from './acts.ts';
import type { OfIncident } from './of-incident.ts';

type InGuild = { accountId: string; serverId: string; guildId: string };

/** Stands where the audit log does not tell who it was. No id of the platform is so small. */
const unknownExecutorId = '0';

const deletions = ['channelDeleted', 'roleDeleted'] as const;
type Deletion = (typeof deletions)[number];

const { serverId, accountId, guildId, entryId, executorId, targetId, action, at } = guildActs;

const inGuild = (server: InGuild) =>
  and(eq(serverId, server.serverId), eq(accountId, server.accountId), eq(guildId, server.guildId));
const isLoss = eq(executorId, unknownExecutorId);

/** `missed`: found to be gone after an absence, so it is not known when it was lost. */
export type SeenLoss = {
  action: Deletion;
  id: string;
  kind: Extract<ActKind, 'lost' | 'missed'>;
};

/**
 * Stores what is gone and of which the audit log has not told, as an act of nobody known. Its own id stands
 * for that of an entry. Returns how many are new, by their action.
 */
export const insertLosses = async (
  tx: Transaction,
  { serverId: ofServer, accountId: ofAccount, guildId: ofGuild }: InGuild,
  seen: readonly SeenLoss[],
  seenAt: Date,
): Promise<Set<string>> => {
  const told = await tx
    .select({ targetId })
    .from(guildActs)
    .where(
      and(
        eq(serverId, ofServer),
        eq(accountId, ofAccount),
        inArray(
          targetId,
          seen.map(({ id }) => id),
        ),
        inArray(action, [...deletions]),
      ),
    );
  const isTold = new Set(told.map((act) => act.targetId));
  const rows = seen
    .filter(({ id }) => !isTold.has(id))
    .map((loss) => ({
      ...{ serverId: ofServer, accountId: ofAccount, guildId: ofGuild, at: seenAt },
      ...{ entryId: loss.id, targetId: loss.id, action: loss.action, kind: loss.kind },
      executorId: unknownExecutorId,
    }));
  return insertActs(tx, rows);
};

/** The oldest first; also those that belong to an incident already. */
export const listLosses = (db: Queryable, server: InGuild, since: Date) =>
  db
    .select({
      id: entryId,
      action: sql<Deletion>`${action}`,
      at,
      isMissed: sql<boolean>`${guildActs.kind} = 'missed'`,
      incidentId: guildActs.incidentId,
    })
    .from(guildActs)
    .where(and(inGuild(server), isLoss, gt(at, since)))
    .orderBy(asc(at))
    .limit(1000);

export type Loss = Awaited<ReturnType<typeof listLosses>>[number];

/** The audit log tells of them now, or they were our own doing. Returns the incidents that they belonged to. */
export const deleteLosses = async (
  tx: Transaction,
  server: InGuild,
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const deleted = await tx
    .delete(guildActs)
    .where(and(inGuild(server), isLoss, inArray(entryId, [...ids])))
    .returning({ incidentId: guildActs.incidentId });
  return new Set(deleted.flatMap(({ incidentId }) => incidentId ?? []));
};

const kinds = { channelDeleted: 'channelDeletes', roleDeleted: 'roleDeletes' } as const;

export const kindOfLoss = (loss: { action: Deletion }) => kinds[loss.action];

/** From now on they are part of an attack. */
export const attachLosses = async (
  tx: Transaction,
  server: InGuild,
  { incidentId }: OfIncident,
  losses: readonly Loss[],
): Promise<void> => {
  for (const name of deletions) {
    const ids = losses.filter((loss) => loss.action === name).map(({ id }) => id);
    if (ids.length === 0) continue;
    await tx
      .update(guildActs)
      .set({ incidentId, kind: kinds[name] })
      .where(and(inGuild(server), isLoss, inArray(entryId, ids)));
  }
};

/** Roles of bots go with them, without an entry of their own. */
export const countRemovedMembers = (db: Queryable, server: InGuild, since: Date): Promise<number> =>
  db.$count(
    guildActs,
    and(
      inGuild(server),
      ne(executorId, unknownExecutorId),
      inArray(action, ['memberKicked', 'memberBanned']),
      gt(at, since),
    ),
  );

const executorsOf = (db: Queryable) =>
  db
    .select({ platformId: incidentExecutors.platformId })
    .from(incidentExecutors)
    .where(eq(incidentExecutors.incidentId, incidents.id));

/** Of an attack by somebody who is not known: nobody can be stopped. */
const isByNobodyKnown = (db: Queryable) =>
  and(eq(incidents.kind, 'NUKE'), notExists(executorsOf(db)));

export const hasNobodyKnown = (db: Queryable, owner: OfIncident): Promise<boolean> =>
  hasRows(
    db
      .select({ id: incidents.id })
      .from(incidents)
      .where(
        and(
          eq(incidents.id, owner.incidentId),
          eq(incidents.accountId, owner.accountId),
          isByNobodyKnown(db),
        ),
      ),
  );

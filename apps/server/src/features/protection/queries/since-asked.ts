import { and, eq, exists, gt, inArray, lte, notExists, or } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { raidWaves } from '../raid/table.ts';
import { guildActs, incidentExecutors, incidents } from '../table.ts';
import { watchedKinds } from '../watch/kinds.ts';
import { isIncident, type OfIncident } from './of-incident.ts';

const attackedSince = (askedAt: Date) =>
  and(gt(guildActs.at, askedAt), inArray(guildActs.kind, [...watchedKinds]));

/** Of executors: those who took part when something was asked for, and have done no more of the attack since. */
export const isAsWhenAsked = (db: Queryable, askedAt: Date) => {
  const { incidentId, platformId, createdAt } = incidentExecutors;
  const moreActs = db
    .select({ entryId: guildActs.entryId })
    .from(guildActs)
    .where(
      and(
        eq(guildActs.incidentId, incidentId),
        eq(guildActs.executorId, platformId),
        attackedSince(askedAt),
      ),
    );
  return and(lte(createdAt, askedAt), notExists(moreActs));
};

/** Whether the attack, or the raid, has gone on since something was asked for. */
export const hasGoneOn = (db: Queryable, owner: OfIncident, askedAt: Date): Promise<boolean> => {
  const newExecutors = db
    .select({ platformId: incidentExecutors.platformId })
    .from(incidentExecutors)
    .where(
      and(eq(incidentExecutors.incidentId, incidents.id), gt(incidentExecutors.createdAt, askedAt)),
    );
  const moreActs = db
    .select({ entryId: guildActs.entryId })
    .from(guildActs)
    .where(and(eq(guildActs.incidentId, incidents.id), attackedSince(askedAt)));
  const moreJoins = db
    .select({ incidentId: raidWaves.incidentId })
    .from(raidWaves)
    .where(and(eq(raidWaves.incidentId, incidents.id), gt(raidWaves.lastJoinAt, askedAt)));
  return hasRows(
    db
      .select({ id: incidents.id })
      .from(incidents)
      .where(and(isIncident(owner), or(exists(newExecutors), exists(moreActs), exists(moreJoins)))),
  );
};

import { and, asc, eq, exists, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import { incidentExecutors, incidentSteps, incidents, type ReturnStatus } from '../table.ts';
import { isAsWhenAsked } from './since-asked.ts';

type OfAccount = { accountId: string; incidentId: string };
export type ReturnResult = Exclude<ReturnStatus, 'wanted'>;

const { incidentId, platformId, returnStatus, rolesTaken } = incidentExecutors;

/** What was taken from an executor, or may have been, of the overwrites that they have in channels. */
const wasTaken = and(
  eq(incidentSteps.kind, 'TAKE_OVERWRITE'),
  inArray(incidentSteps.status, ['begun', 'done']),
  sql`not (${incidentSteps.detail} ? 'isReturned')`,
);

/** Whether somebody is about to get back what was taken from them, or has got it. */
export const isGivenBack = (db: Queryable, ofIncident: string, person: string) =>
  hasRows(
    db
      .select({ platformId })
      .from(incidentExecutors)
      .where(and(eq(incidentId, ofIncident), eq(platformId, person), isNotNull(returnStatus))),
  );

const overwritesOf = (db: Queryable, ofIncident: string) =>
  db
    .select({ seq: incidentSteps.seq })
    .from(incidentSteps)
    .where(
      and(
        eq(incidentSteps.incidentId, ofIncident),
        eq(incidentSteps.executorId, platformId),
        wasTaken,
      ),
    );

/** `taken` are the permissions, as bits. */
export const listOverwritesTaken = (db: Queryable, ofIncident: string) =>
  db
    .select({
      executorId: sql<string>`${incidentSteps.executorId}`,
      channelId: sql<string>`${incidentSteps.detail}->>'channelId'`,
      taken: sql<string>`${incidentSteps.detail}->>'taken'`,
    })
    .from(incidentSteps)
    .where(and(eq(incidentSteps.incidentId, ofIncident), wasTaken))
    .orderBy(asc(incidentSteps.seq));

export type OverwriteTaken = Awaited<ReturnType<typeof listOverwritesTaken>>[number];

/** People whose roles were taken, and are neither given back nor about to be; of those of then, if so asked. */
const isToReturn = (db: Queryable, ofIncident: string, askedAt?: Date) =>
  and(
    eq(incidentId, ofIncident),
    askedAt && isAsWhenAsked(db, askedAt),
    or(isNull(returnStatus), inArray(returnStatus, ['left', 'failed'])),
    eq(incidentExecutors.isBot, false),
    or(ne(sql`jsonb_array_length(${rolesTaken})`, 0), exists(overwritesOf(db, ofIncident))),
  );

export const hasRolesToReturn = (db: Queryable, ofIncident: string, askedAt?: Date) =>
  hasRows(
    db
      .select({ platformId })
      .from(incidentExecutors)
      .where(isToReturn(db, ofIncident, askedAt))
      .limit(1),
  );

/**
 * Marks people whose roles were taken, and are neither given back nor about to be; returns how many there
 * are. Whoever had left, or could not be given them, is tried again.
 */
export const wantRolesBack = async (
  tx: Transaction,
  ofIncident: string,
  askedAt?: Date,
): Promise<number> => {
  const marked = await tx
    .update(incidentExecutors)
    .set({ returnStatus: 'wanted' })
    .where(isToReturn(tx, ofIncident, askedAt))
    .returning({ platformId });
  return marked.length;
};

/** Undefined where the server is deleted. */
export const findToReturn = (db: Queryable, owner: OfAccount) =>
  firstRow(
    db
      .select({
        serverId: incidents.serverId,
        accountId: incidents.accountId,
        guildId: incidents.guildId,
        isMoved: sql<boolean>`${servers.platformGuildId} <> ${incidents.guildId}`,
        // A server that is not deleted has a bot.
        botId: sql<string>`${servers.customBotId}`,
      })
      .from(incidents)
      .innerJoin(servers, eq(servers.id, incidents.serverId))
      .where(
        and(
          eq(incidents.id, owner.incidentId),
          eq(incidents.accountId, owner.accountId),
          isNull(servers.deletedAt),
        ),
      ),
  );

export type ToReturn = NonNullable<Awaited<ReturnType<typeof findToReturn>>>;

export const listRolesWanted = (db: Queryable, ofIncident: string) =>
  db
    .select({ platformId, rolesTaken })
    .from(incidentExecutors)
    .where(and(eq(incidentId, ofIncident), eq(returnStatus, 'wanted')))
    .orderBy(asc(platformId));

/** How giving roles back ended, by result. */
export const countReturns = async (
  db: Queryable,
  ofIncident: string,
): Promise<Record<ReturnResult, number>> => {
  const counted = await db
    .select({ returnStatus, people: sql<number>`count(*)::int` })
    .from(incidentExecutors)
    .where(eq(incidentId, ofIncident))
    .groupBy(returnStatus);
  const countOf = (result: ReturnResult) =>
    counted.find((row) => row.returnStatus === result)?.people ?? 0;
  return { returned: countOf('returned'), left: countOf('left'), failed: countOf('failed') };
};

export const endReturn = async (
  tx: Transaction,
  { accountId, serverId, incidentId: ofIncident }: OfAccount & { serverId: string },
  person: string,
  result: ReturnResult,
): Promise<void> => {
  const returnedAt = result === 'returned' ? sql`clock_timestamp()` : null;
  await tx
    .update(incidentExecutors)
    .set({ returnStatus: result, returnedAt })
    .where(and(eq(incidentId, ofIncident), eq(platformId, person), eq(returnStatus, 'wanted')));
  // What is taken from them later begins anew.
  if (result === 'returned') {
    await tx
      .update(incidentSteps)
      .set({ detail: sql`${incidentSteps.detail} || '{"isReturned": true}'::jsonb` })
      .where(
        and(
          eq(incidentSteps.incidentId, ofIncident),
          eq(incidentSteps.executorId, person),
          wasTaken,
        ),
      );
  }
  markChanged(tx, { accountId, serverId }, 'incidents');
};

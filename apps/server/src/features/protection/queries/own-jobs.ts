import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { massVerifications } from '../../mass-verifications/table.ts';
import { members, seenMembers } from '../../members/table.ts';
import { pullMembers, pulls } from '../../pulls/table.ts';
import { servers } from '../../servers/table.ts';
import { roleAssignments } from '../../verification/table.ts';
import { raidNewcomers, raidWaves } from '../raid/table.ts';
import { armedExecutors, incidentExecutors, incidentSteps, incidents } from '../table.ts';
import type { Done } from './own-restores.ts';
import { wasUnderWay } from './under-way.ts';

/** So long people wait at most. */
const longestReturn = sql`interval '1 day'`;

type ToPerson = Done & { platformId: string };

/** Between the moment when somebody is armed and the one when the journal of their stop is stored. */
const armedFor = sql`interval '2 minutes'`;

/** Whether the journal of an incident says that they lose their roles, or the guild where it is a bot. */
export const isStopped = async (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
  { isBot }: { isBot: boolean },
): Promise<boolean> => {
  const steps = db
    .select({ seq: incidentSteps.seq })
    .from(incidentSteps)
    .innerJoin(incidents, eq(incidents.id, incidentSteps.incidentId))
    .where(
      and(
        eq(incidents.serverId, serverId),
        eq(incidents.accountId, accountId),
        eq(incidentSteps.kind, 'STOP_EXECUTOR'),
        eq(incidentSteps.executorId, platformId),
        isBot ? eq(sql`${incidentSteps.detail}->>'isKicked'`, 'true') : undefined,
        wasUnderWay({ from: incidentSteps.at, until: incidentSteps.endedAt }, at),
      ),
    );
  if (await hasRows(steps.limit(1))) return true;
  // Whoever is stopped in a hurry may be gone before the journal is stored. Armed they are before.
  const { armedAt } = armedExecutors;
  const armed = db
    .select({ id: armedExecutors.platformId })
    .from(armedExecutors)
    .where(
      and(
        eq(armedExecutors.serverId, serverId),
        eq(armedExecutors.accountId, accountId),
        eq(armedExecutors.platformId, platformId),
        eq(armedExecutors.isBot, isBot),
        wasUnderWay({ from: armedAt, until: sql`${armedAt} + ${armedFor}` }, at),
      ),
    );
  return hasRows(armed.limit(1));
};

/** The roles that somebody gets back after an incident; none where they get none. */
export const listRolesGivenBack = async (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
): Promise<string[]> => {
  const { returnStatus, returnedAt, rolesTaken } = incidentExecutors;
  const rows = await db
    .select({ rolesTaken })
    .from(incidentExecutors)
    .innerJoin(incidents, eq(incidents.id, incidentExecutors.incidentId))
    .where(
      and(
        eq(incidents.serverId, serverId),
        eq(incidents.accountId, accountId),
        eq(incidentExecutors.platformId, platformId),
        inArray(returnStatus, ['wanted', 'returned']),
        wasUnderWay({ from: incidents.createdAt, until: returnedAt }, at),
      ),
    );
  return rows.flatMap((row) => row.rolesTaken);
};

/** Whether the journal of an incident says that somebody's overwrite loses its power here, or the bot gets one. */
export const isOverwriteSet = (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
  channelId: string,
): Promise<boolean> =>
  hasRows(
    db
      .select({ seq: incidentSteps.seq })
      .from(incidentSteps)
      .innerJoin(incidents, eq(incidents.id, incidentSteps.incidentId))
      .where(
        and(
          eq(incidents.serverId, serverId),
          eq(incidents.accountId, accountId),
          inArray(incidentSteps.kind, ['TAKE_OVERWRITE', 'SET_APART']),
          eq(incidentSteps.executorId, platformId),
          eq(sql`${incidentSteps.detail}->>'channelId'`, channelId),
          wasUnderWay({ from: incidentSteps.at, until: incidentSteps.endedAt }, at),
        ),
      )
      .limit(1),
  );

/** What somebody gets back of their overwrites after an incident. */
export const listOverwritesGivenBack = (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
) => {
  const { returnStatus, returnedAt } = incidentExecutors;
  return db
    .select({
      channelId: sql<string>`${incidentSteps.detail}->>'channelId'`,
      taken: sql<string>`${incidentSteps.detail}->>'taken'`,
    })
    .from(incidentSteps)
    .innerJoin(incidents, eq(incidents.id, incidentSteps.incidentId))
    .innerJoin(
      incidentExecutors,
      and(
        eq(incidentExecutors.incidentId, incidents.id),
        eq(incidentExecutors.platformId, incidentSteps.executorId),
      ),
    )
    .where(
      and(
        eq(incidents.serverId, serverId),
        eq(incidents.accountId, accountId),
        eq(incidentSteps.kind, 'TAKE_OVERWRITE'),
        eq(incidentSteps.executorId, platformId),
        inArray(returnStatus, ['wanted', 'returned']),
        wasUnderWay({ from: incidents.createdAt, until: returnedAt }, at),
      ),
    );
};

/** Whether the owner decided to remove somebody with the wave they came in, and that is done. */
export const isRemovedNewcomer = (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
  { incidentId, decision }: { incidentId: string; decision: 'KICK' | 'BAN' },
): Promise<boolean> =>
  hasRows(
    db
      .select({ id: raidWaves.incidentId })
      .from(raidNewcomers)
      .innerJoin(raidWaves, eq(raidWaves.incidentId, raidNewcomers.incidentId))
      .where(
        and(
          eq(raidNewcomers.serverId, serverId),
          eq(raidNewcomers.accountId, accountId),
          eq(raidNewcomers.platformId, platformId),
          eq(raidNewcomers.incidentId, incidentId),
          inArray(raidNewcomers.status, ['removing', 'kicked', 'banned', 'gone', 'failed']),
          eq(raidWaves.decision, decision),
          wasUnderWay({ from: raidWaves.decidedAt, until: sql`null::timestamptz` }, at),
        ),
      )
      .limit(1),
  );

/** The role that a verification gives to somebody; undefined where it gives them none. */
export const findVerifiedRole = async (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
): Promise<string | undefined> => {
  const { status, updatedAt } = roleAssignments;
  const isWaiting = sql`${status} = 'waiting'`;
  const row = await firstRow(
    db
      .select({ roleId: servers.verifiedRoleId })
      .from(roleAssignments)
      .innerJoin(servers, eq(servers.id, roleAssignments.serverId))
      .where(
        and(
          eq(roleAssignments.serverId, serverId),
          eq(roleAssignments.accountId, accountId),
          eq(roleAssignments.platformId, platformId),
          wasUnderWay(
            { from: updatedAt, until: sql`case when ${isWaiting} then null else ${updatedAt} end` },
            at,
          ),
        ),
      )
      .limit(1),
  );
  return row?.roleId ?? undefined;
};

/**
 * The role that a mass verification gives; undefined where it has not reached somebody yet. It goes by the
 * order of ids, which are numbers.
 */
export const findMassVerifiedRole = async (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
  jobId: string,
): Promise<string | undefined> => {
  const { verifiedRoleId, attemptedId, afterId, startedAt, completedAt } = massVerifications;
  const reached = sql`greatest(${attemptedId}::numeric, ${afterId}::numeric)`;
  const row = await firstRow(
    db
      .select({ roleId: verifiedRoleId })
      .from(massVerifications)
      .where(
        and(
          eq(massVerifications.id, jobId),
          eq(massVerifications.accountId, accountId),
          eq(massVerifications.serverId, serverId),
          sql`(${completedAt} is not null
            or ${massVerifications.isCounted} and ${platformId}::numeric <= ${reached})`,
          wasUnderWay({ from: startedAt, until: completedAt }, at),
        ),
      ),
  );
  return row?.roleId;
};

/** Whether somebody may have been given what they had: they wait for it, or did after they came. */
export const hasReturned = (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
): Promise<boolean> => {
  const { returnedAt, joinedAt } = seenMembers;
  const end = sql`case when ${returnedAt} is null then ${joinedAt} + ${longestReturn} end`;
  return hasRows(
    db
      .select({ id: members.id })
      .from(seenMembers)
      .innerJoin(members, eq(members.id, seenMembers.memberId))
      .where(
        and(
          eq(seenMembers.serverId, serverId),
          eq(seenMembers.accountId, accountId),
          eq(members.platformId, platformId),
          wasUnderWay({ from: sql`coalesce(${returnedAt}, ${joinedAt})`, until: end }, at),
        ),
      )
      .limit(1),
  );
};

/** Whether somebody who came back still waits for what they had. */
export const isAwaitingReturn = (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
): Promise<boolean> => {
  const { returnedAt } = seenMembers;
  return hasRows(
    db
      .select({ id: members.id })
      .from(seenMembers)
      .innerJoin(members, eq(members.id, seenMembers.memberId))
      .where(
        and(
          eq(seenMembers.serverId, serverId),
          eq(seenMembers.accountId, accountId),
          eq(members.platformId, platformId),
          isNotNull(returnedAt),
          wasUnderWay({ from: returnedAt, until: sql`null::timestamptz` }, at),
        ),
      )
      .limit(1),
  );
};

/** What a pull into the server gives to somebody whom it adds; undefined where it does not add them. */
export const findPulledRoles = (
  db: Queryable,
  { accountId, serverId, platformId, at }: ToPerson,
  pullId: string,
) =>
  firstRow(
    db
      .select({ roleId: pulls.roleId, allowed: pulls.allowDangerousRoles })
      .from(pulls)
      .innerJoin(pullMembers, eq(pullMembers.pullId, pulls.id))
      .innerJoin(members, eq(members.id, pullMembers.memberId))
      .where(
        and(
          eq(pulls.id, pullId),
          eq(pulls.accountId, accountId),
          eq(pulls.targetServerId, serverId),
          eq(members.accountId, accountId),
          eq(members.platformId, platformId),
          wasUnderWay({ from: pullMembers.begunAt, until: pulls.completedAt }, at),
        ),
      )
      .limit(1),
  );

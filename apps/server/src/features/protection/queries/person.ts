import { and, desc, eq, like, ne, notInArray, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { raidNewcomers } from '../raid/table.ts';
import { armedExecutors, guildActs, incidentExecutors, incidents } from '../table.ts';

/** Those about whom somebody has still to decide, or whose removal is under way. */
const waiting = ['held', 'removing'] as const;
const isErased = eq(raidNewcomers.nameKey, '');

/** What is stored about somebody's joining, while it may be part of a raid. */
export const listJoinsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      serverId: raidNewcomers.serverId,
      accountId: raidNewcomers.accountId,
      username: raidNewcomers.username,
      joinedAt: raidNewcomers.joinedAt,
      isYoung: raidNewcomers.isYoung,
      hasPicture: raidNewcomers.hasPicture,
      isAlike: raidNewcomers.isAlike,
      status: raidNewcomers.status,
    })
    .from(raidNewcomers)
    .where(and(eq(raidNewcomers.platformId, platformId), ne(raidNewcomers.nameKey, '')));

/** Incidents in which somebody acted. */
export const listIncidentsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      serverId: incidents.serverId,
      accountId: incidents.accountId,
      username: incidentExecutors.username,
      rolesBefore: incidentExecutors.rolesBefore,
      rolesTaken: incidentExecutors.rolesTaken,
      stoppedAt: incidentExecutors.stoppedAt,
      noticedAt: incidentExecutors.createdAt,
    })
    .from(incidentExecutors)
    .innerJoin(incidents, eq(incidents.id, incidentExecutors.incidentId))
    .where(eq(incidentExecutors.platformId, platformId))
    .orderBy(desc(incidentExecutors.createdAt));

/** What they were about to lose, at an act that is watched. */
export const listArmedOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      serverId: armedExecutors.serverId,
      accountId: armedExecutors.accountId,
      username: armedExecutors.username,
      rolesBefore: armedExecutors.rolesBefore,
      noticedAt: armedExecutors.armedAt,
    })
    .from(armedExecutors)
    .where(and(eq(armedExecutors.platformId, platformId), ne(armedExecutors.username, '')));

/** What others did to somebody, without who it was. */
export const listChangesOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      serverId: guildActs.serverId,
      accountId: guildActs.accountId,
      action: guildActs.action,
      before: guildActs.before,
      after: guildActs.after,
      at: guildActs.at,
    })
    .from(guildActs)
    .where(
      and(
        eq(guildActs.targetId, platformId),
        ne(guildActs.executorId, platformId),
        // Other ids than a person's may be equal.
        like(guildActs.action, 'member%'),
      ),
    )
    .orderBy(desc(guildActs.at));

/** Whom somebody did it to is not theirs to know. */
const targetThing = sql<string | null>`case when ${guildActs.targetId} = ${guildActs.executorId}
  or ${guildActs.action} !~ '^(member|message|ruleApplied|other)' then ${guildActs.targetId} end`;

/** What somebody did, as the audit log of a guild told it. */
export const listActsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      serverId: guildActs.serverId,
      accountId: guildActs.accountId,
      action: guildActs.action,
      targetId: targetThing,
      at: guildActs.at,
    })
    .from(guildActs)
    .where(eq(guildActs.executorId, platformId))
    .orderBy(desc(guildActs.at));

type OfAccount = { accountId: string };

/**
 * Nothing but the platform id of somebody stays: in incidents, which are the owner's record of what was done
 * to the server, with the roles that are still to be given back; and on the list of those who wait for a
 * decision, because nobody may release themselves from it. Returns whose records named them.
 */
export const erasePersonFromProtection = async (
  tx: Transaction,
  platformId: string,
): Promise<OfAccount[]> => [
  ...(await eraseJoins(tx, platformId)),
  ...(await eraseExecutor(tx, platformId)),
  ...(await eraseFromActs(tx, platformId)),
];

const eraseJoins = async (tx: Transaction, platformId: string): Promise<OfAccount[]> => {
  const { accountId, status } = raidNewcomers;
  const isPerson = eq(raidNewcomers.platformId, platformId);
  const deleted = await tx
    .delete(raidNewcomers)
    .where(and(isPerson, notInArray(status, [...waiting])))
    .returning({ accountId });
  const emptied = await tx
    .update(raidNewcomers)
    .set({ username: '', nameKey: '', isAlike: false })
    .where(and(isPerson, ne(raidNewcomers.nameKey, '')))
    .returning({ accountId });
  return [...deleted, ...emptied];
};

const eraseExecutor = async (tx: Transaction, platformId: string): Promise<OfAccount[]> => {
  const rolesIfLive = (roles: unknown) =>
    sql`case when ${incidents.endedAt} is null then ${roles} else '[]'::jsonb end`;
  const executors = await tx
    .update(incidentExecutors)
    .set({
      username: '',
      rolesBefore: rolesIfLive(incidentExecutors.rolesBefore),
      rolesTaken: rolesIfLive(incidentExecutors.rolesTaken),
    })
    .from(incidents)
    .where(
      and(
        eq(incidentExecutors.platformId, platformId),
        eq(incidents.id, incidentExecutors.incidentId),
        ne(incidentExecutors.username, ''),
      ),
    )
    .returning({ accountId: incidents.accountId });
  const armed = await tx
    .update(armedExecutors)
    .set({ username: '' })
    .where(and(eq(armedExecutors.platformId, platformId), ne(armedExecutors.username, '')))
    .returning({ accountId: armedExecutors.accountId });
  return [...executors, ...armed];
};

/** Of what was done to somebody, their nickname is all that names them. */
const eraseFromActs = (tx: Transaction, platformId: string): Promise<OfAccount[]> =>
  tx
    .update(guildActs)
    .set({
      before: sql`${guildActs.before} - 'nick'`,
      after: sql`${guildActs.after} - 'nick'`,
    })
    .where(
      and(
        eq(guildActs.targetId, platformId),
        sql`(${guildActs.before} ? 'nick' or ${guildActs.after} ? 'nick')`,
      ),
    )
    .returning({ accountId: guildActs.accountId });

/** People who were erased while they waited, once nobody has to decide about them; returns how many. */
export const forgetErased = async (db: Queryable, limit: number): Promise<number> => {
  const some = sql`array(select ctid from ${raidNewcomers}
    where ${and(isErased, notInArray(raidNewcomers.status, [...waiting]))} limit ${limit})`;
  const deleted = await db
    .delete(raidNewcomers)
    .where(sql`${raidNewcomers}.ctid = any(${some})`)
    .returning({ serverId: raidNewcomers.serverId });
  return deleted.length;
};

import type { ActsQuery } from '@holdfast/contract';
import { and, eq, like, min, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { members } from '../../members/table.ts';
import { guildActs, incidentExecutors, incidentSteps, incidents } from '../table.ts';
import { whyNotStopped } from './executors.ts';
import { ofLivingServer } from './incidents.ts';

type OfAccount = { accountId: string; incidentId: string };

export const findCourse = (db: Queryable, { accountId, incidentId }: OfAccount) =>
  firstRow(
    db
      .select({
        trigger: incidents.trigger,
        firstActAt: incidents.firstActAt,
        detectedAt: incidents.detectedAt,
        containedAt: incidents.containedAt,
        invitesPausedUntil: incidents.invitesPausedUntil,
        snapshotBackupId: incidents.snapshotBackupId,
      })
      .from(incidents)
      .where(and(eq(incidents.id, incidentId), eq(incidents.accountId, accountId), ofLivingServer)),
  );

/** Of an incident that the caller has found to be theirs. */
export const listExecutorStates = (db: Queryable, incidentId: string) =>
  db
    .select({
      platformId: incidentExecutors.platformId,
      username: incidentExecutors.username,
      isBot: incidentExecutors.isBot,
      status: incidentExecutors.status,
      code: incidentExecutors.code,
      whyNotStopped,
      rolesTaken: incidentExecutors.rolesTaken,
      stoppedAt: incidentExecutors.stoppedAt,
      returnStatus: incidentExecutors.returnStatus,
      returnedAt: incidentExecutors.returnedAt,
    })
    .from(incidentExecutors)
    .where(eq(incidentExecutors.incidentId, incidentId))
    .orderBy(incidentExecutors.createdAt, incidentExecutors.platformId);

export const listSteps = (db: Queryable, incidentId: string) =>
  db
    .select({
      seq: incidentSteps.seq,
      kind: incidentSteps.kind,
      executorId: incidentSteps.executorId,
      status: incidentSteps.status,
      detail: incidentSteps.detail,
      at: incidentSteps.at,
      endedAt: incidentSteps.endedAt,
    })
    .from(incidentSteps)
    .where(eq(incidentSteps.incidentId, incidentId))
    .orderBy(incidentSteps.seq);

const { incidentId: ofIncident, accountId: ofAccount, executorId, kind, action, at } = guildActs;

/** What the audit log calls the object, before it was done or after. */
const nameOfObject = sql<
  string | null
>`coalesce(${guildActs.before} ->> 'name', ${guildActs.after} ->> 'name')`;

const namesShown = 5;

const ownActs = (owner: OfAccount) =>
  and(eq(ofIncident, owner.incidentId), eq(ofAccount, owner.accountId));

/** One row for each action of each executor. */
export const groupActs = (db: Queryable, owner: OfAccount) =>
  db
    .select({
      ...{ executorId, kind, action },
      count: sql<number>`count(*)::int`,
      firstAt: sql<Date>`min(${at})`.mapWith(at),
      lastAt: sql<Date>`max(${at})`.mapWith(at),
      names: sql<string[]>`coalesce((array_agg(${nameOfObject} order by ${at}, ${guildActs.entryId})
        filter (where ${nameOfObject} is not null))[1:${sql.raw(String(namesShown))}], '{}')`,
    })
    .from(guildActs)
    .where(ownActs(owner))
    .groupBy(executorId, kind, action)
    .orderBy(min(at), executorId, action, kind);

/** Which fields they changed, each once for each action, by the platform's names. */
export const listChangedFields = (db: Queryable, owner: OfAccount) =>
  db
    .selectDistinct({
      action,
      key: sql<string>`jsonb_object_keys(coalesce(${guildActs.before}, '{}') || coalesce(${guildActs.after}, '{}'))`,
    })
    .from(guildActs)
    .where(ownActs(owner));

/** Whom an act was done to; the audit log tells only the id, and other ids than a person's may be equal. */
const targetPerson = and(
  eq(members.serverId, guildActs.serverId),
  eq(members.accountId, guildActs.accountId),
  eq(members.platformId, guildActs.targetId),
  like(guildActs.action, 'member%'),
);

export const listActs = (db: Queryable, owner: OfAccount, query: ActsQuery) => {
  const asked = and(
    ownActs(owner),
    query.executorId === undefined ? undefined : eq(executorId, query.executorId),
    query.action === undefined ? undefined : eq(action, query.action),
  );
  return listPage(
    query,
    db
      .select({
        ...{ id: guildActs.entryId, at, executorId, kind, action },
        targetId: guildActs.targetId,
        name: sql<string | null>`coalesce(${nameOfObject}, ${members.username})`,
        before: guildActs.before,
        after: guildActs.after,
      })
      .from(guildActs)
      .leftJoin(members, targetPerson)
      .where(asked)
      .orderBy(at, guildActs.entryId),
    countRows(db, guildActs, asked),
  );
};

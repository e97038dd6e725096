import type { NotStoppedCode } from '@holdfast/contract';
import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import { type ExecutorCode, incidentExecutors, incidents } from '../table.ts';
import { mergedIds } from './merged-ids.ts';
import { isIncident, isNotSetAside, isOpen, type OfIncident, setAside } from './of-incident.ts';

type Noticed = {
  platformId: string;
  username?: string;
  isBot?: boolean;
  rolesBefore?: readonly string[];
  rolesTaken?: readonly string[];
  /** Null: as far as it is known, since now. */
  actsFrom?: Date | null;
};

/**
 * Adds somebody to an incident, or what is newly known of them, and has them stopped (again). What was
 * noted as theirs or as taken from them stays noted, unless they have got it back: then they begin anew.
 * True where they are new in it.
 */
export const addExecutor = async (
  tx: Transaction,
  { accountId, incidentId }: OfIncident,
  { platformId, username = '', isBot = false, rolesBefore = [], rolesTaken = [], ...one }: Noticed,
): Promise<boolean> => {
  const known = incidentExecutors;
  const added = (column: PgColumn, name: string) =>
    sql`case when ${known.returnStatus} = 'returned' then ${sql.raw(`excluded.${name}`)}
      else ${mergedIds(column, name)} end`;
  const row = await firstRow(
    tx
      .insert(known)
      .values({
        ...{ incidentId, platformId, username, isBot },
        ...{ rolesBefore: [...rolesBefore], rolesTaken: [...rolesTaken], actsFrom: one.actsFrom },
        // Not when the transaction began: a decision may have been asked for meanwhile.
        createdAt: sql`clock_timestamp()`,
      })
      .onConflictDoUpdate({
        target: [known.incidentId, known.platformId],
        set: {
          username: sql`coalesce(nullif(${username}, ''), ${known.username})`,
          isBot: sql`${known.isBot} or ${isBot}`,
          rolesBefore: added(known.rolesBefore, 'roles_before'),
          rolesTaken: added(known.rolesTaken, 'roles_taken'),
          actsFrom: sql`case when ${known.returnStatus} is null
            then least(${known.actsFrom}, excluded.acts_from)
            else coalesce(excluded.acts_from, now()) end`,
          ...{ status: 'pending', returnStatus: null, returnedAt: null },
        },
      })
      .returning({ isNew: sql<boolean>`xmax = 0` }),
  );
  if (row?.isNew) await reopen(tx, { accountId, incidentId });
  return row?.isNew ?? false;
};

/** Somebody in it has to be stopped first: who is new in it, or who could be stopped before and cannot now. */
const reopen = async (tx: Transaction, owner: OfIncident): Promise<void> => {
  const changed = await tx
    .update(incidents)
    .set((await isAnotherOpen(tx, owner)) ? setAside : { status: 'open' })
    .where(and(isIncident(owner), isNull(incidents.endedAt), isNotSetAside))
    .returning({ serverId: incidents.serverId });
  for (const { serverId } of changed) {
    markChanged(tx, { accountId: owner.accountId, serverId }, 'incidents');
  }
};

const isAnotherOpen = (tx: Transaction, owner: OfIncident): Promise<boolean> => {
  const { accountId, incidentId } = owner;
  const server = tx.select({ id: incidents.serverId }).from(incidents).where(isIncident(owner));
  return hasRows(
    tx
      .select({ id: incidents.id })
      .from(incidents)
      .where(
        and(
          inArray(incidents.serverId, server),
          eq(incidents.accountId, accountId),
          ne(incidents.id, incidentId),
          eq(incidents.kind, 'NUKE'),
          eq(incidents.status, 'open'),
        ),
      )
      .limit(1),
  );
};

/** Null where they were stopped, or were not tried yet; as before while they are tried again. */
export const whyNotStopped = sql<NotStoppedCode | null>`case
  when ${incidentExecutors.status} <> 'stopped' then nullif(${incidentExecutors.code}, 'GONE') end`;

type Stopped = {
  platformId: string;
  status: 'stopped' | 'unstoppable';
  code: ExecutorCode | null;
  /** What was to be taken, but the platform refused. */
  notTaken: readonly string[];
};

const textArray = (texts: readonly string[]) =>
  sql`array[${sql.join(
    texts.map((text) => sql`${text}`),
    sql`, `,
  )}]::text[]`;

export const settleExecutor = async (
  tx: Transaction,
  owner: OfIncident,
  { platformId, status, code, notTaken }: Stopped,
): Promise<void> => {
  await tx
    .update(incidentExecutors)
    .set({
      ...{ status, code },
      rolesTaken: sql`${incidentExecutors.rolesTaken} - ${textArray(notTaken)}`,
      ...(status === 'stopped' && {
        stoppedAt: sql`coalesce(${incidentExecutors.stoppedAt}, clock_timestamp())`,
      }),
    })
    .where(and(ofIncident(owner), eq(incidentExecutors.platformId, platformId)));
  if (status !== 'stopped') await reopen(tx, owner);
};

const ofIncident = ({ incidentId }: Pick<OfIncident, 'incidentId'>) =>
  eq(incidentExecutors.incidentId, incidentId);

export const listPendingExecutors = (db: Queryable, incidentId: string) =>
  db
    .select({
      platformId: incidentExecutors.platformId,
      code: incidentExecutors.code,
      stoppedAt: incidentExecutors.stoppedAt,
    })
    .from(incidentExecutors)
    .where(and(ofIncident({ incidentId }), eq(incidentExecutors.status, 'pending')))
    .orderBy(asc(incidentExecutors.createdAt));

/** Whether everybody in it was stopped. */
export const areAllStopped = async (db: Queryable, incidentId: string): Promise<boolean> =>
  !(await hasRows(
    db
      .select({ platformId: incidentExecutors.platformId })
      .from(incidentExecutors)
      .where(and(ofIncident({ incidentId }), ne(incidentExecutors.status, 'stopped')))
      .limit(1),
  ));

/** What those who took part in these incidents are called, by their platform ids. */
export const findExecutorNames = async (
  db: Queryable,
  accountId: string,
  incidentIds: string[],
): Promise<Map<string, string>> => {
  if (incidentIds.length === 0) return new Map();
  const { platformId, username } = incidentExecutors;
  const rows = await db
    .select({ platformId, username })
    .from(incidentExecutors)
    .innerJoin(incidents, eq(incidents.id, incidentExecutors.incidentId))
    .where(
      and(
        inArray(incidentExecutors.incidentId, incidentIds),
        eq(incidents.accountId, accountId),
        ne(username, ''),
      ),
    );
  return new Map(rows.map((one) => [one.platformId, one.username]));
};

/** Whether somebody waits to be stopped, or nobody has been tried yet. */
export const isBeingStopped = async (db: Queryable, incidentId: string): Promise<boolean> => {
  const tried = sql<number>`count(*) filter (where ${whyNotStopped} is not null)::int`;
  const pending = sql<number>`count(*) filter (where ${incidentExecutors.status} = 'pending')::int`;
  const [row] = await db
    .select({ tried, pending })
    .from(incidentExecutors)
    .where(ofIncident({ incidentId }));
  return row === undefined || row.tried === 0 || row.pending > 0;
};

type InGuilds = { accountId: string; botId: string; guildIds: string[] };

/** Who could not be stopped in the incidents of a bot's guilds, where attackers are stopped at all. */
export const listNotStopped = (db: Queryable, { accountId, botId, guildIds }: InGuilds) =>
  db
    .select({
      incidentId: incidents.id,
      guildId: incidents.guildId,
      platformId: incidentExecutors.platformId,
    })
    .from(incidents)
    .innerJoin(incidentExecutors, eq(incidentExecutors.incidentId, incidents.id))
    .innerJoin(servers, eq(servers.id, incidents.serverId))
    .where(
      and(
        eq(incidents.accountId, accountId),
        inArray(incidents.guildId, guildIds),
        isNull(incidents.endedAt),
        isOpen,
        eq(incidentExecutors.status, 'unstoppable'),
        eq(servers.customBotId, botId),
        eq(servers.platformGuildId, incidents.guildId),
        servers.antiNukeEnabled,
        isNull(servers.deletedAt),
      ),
    )
    .orderBy(incidents.id);

/** Of an incident that is locked: those who could not be stopped are tried again. */
export const tryAgain = async (tx: Transaction, owner: OfIncident): Promise<void> => {
  await tx
    .update(incidentExecutors)
    .set({ status: 'pending' })
    .where(and(ofIncident(owner), eq(incidentExecutors.status, 'unstoppable')));
};

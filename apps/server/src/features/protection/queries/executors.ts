import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { type ExecutorCode, incidentExecutors, incidents } from '../table.ts';
import { mergedIds } from './merged-ids.ts';
import { isIncident, type OfIncident } from './of-incident.ts';

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

/** Somebody new in it has to be stopped first. */
const reopen = async (tx: Transaction, owner: OfIncident): Promise<void> => {
  const changed = await tx
    .update(incidents)
    .set({ status: 'open' })
    .where(and(isIncident(owner), isNull(incidents.endedAt)))
    .returning({ serverId: incidents.serverId });
  for (const { serverId } of changed) {
    markChanged(tx, { accountId: owner.accountId, serverId }, 'incidents');
  }
};

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
  { incidentId }: OfIncident,
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
    .where(
      and(
        eq(incidentExecutors.incidentId, incidentId),
        eq(incidentExecutors.platformId, platformId),
      ),
    );
};

export const listPendingExecutors = (db: Queryable, incidentId: string) =>
  db
    .select({
      platformId: incidentExecutors.platformId,
      rolesBefore: incidentExecutors.rolesBefore,
      rolesTaken: incidentExecutors.rolesTaken,
      stoppedAt: incidentExecutors.stoppedAt,
    })
    .from(incidentExecutors)
    .where(
      and(eq(incidentExecutors.incidentId, incidentId), eq(incidentExecutors.status, 'pending')),
    )
    .orderBy(asc(incidentExecutors.createdAt));

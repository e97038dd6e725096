import type { MassVerificationResult, PageQuery } from '@holdfast/contract';
import { and, desc, eq, exists, inArray, isNull, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { type Database, markChanged, type Queryable, type Transaction } from '../../db/connect.ts';
import { countRows, listPage } from '../../db/queries/list-page.ts';
import { purgeByServer } from '../../db/queries/purge-rows.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { servers } from '../servers/table.ts';
import { massVerifications } from './table.ts';

const { id, accountId, serverId, status, createdAt, total, processed } = massVerifications;
const { guildId, botId, verifiedRoleId, joinedBefore, roleId } = massVerifications;

const jobFields = {
  ...{ id, serverId, status, total, processed, verifiedRoleId, joinedBefore, roleId, createdAt },
  given: massVerifications.given,
  already: massVerifications.already,
  failed: massVerifications.failed,
  error: massVerifications.error,
  startedAt: massVerifications.startedAt,
  completedAt: massVerifications.completedAt,
};

type Server = { id: string; accountId: string };
export type JobOwner = { accountId: string; jobId: string };
export type JobRow = NonNullable<Awaited<ReturnType<typeof findJob>>>;

const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));
const ofOwner = (owner: JobOwner) => and(eq(id, owner.jobId), eq(accountId, owner.accountId));

export const listJobs = (db: Queryable, server: Server, query: PageQuery) => {
  const rows = db
    .select(jobFields)
    .from(massVerifications)
    .where(ofServer(server))
    .orderBy(desc(createdAt), desc(id));
  return listPage(query, rows, countRows(db, massVerifications, ofServer(server)));
};

/** Undefined where one is under way on that server. */
export const insertJob = (tx: Transaction, row: typeof massVerifications.$inferInsert) =>
  firstRow(tx.insert(massVerifications).values(row).onConflictDoNothing().returning(jobFields));

/** Undefined also where its server is deleted. */
export const findJob = (db: Queryable, owner: JobOwner) => {
  const server = db
    .select({ id: servers.id })
    .from(servers)
    .where(and(eq(servers.id, serverId), isNull(servers.deletedAt)));
  return firstRow(
    db
      .select(jobFields)
      .from(massVerifications)
      .where(and(ofOwner(owner), exists(server))),
  );
};

/** Undefined where no worker runs it: it is queued, or has ended. */
export const requestCancel = (tx: Transaction, owner: JobOwner) =>
  firstRow(
    tx
      .update(massVerifications)
      .set({ isCancelRequested: true })
      .where(and(ofOwner(owner), eq(status, 'running')))
      .returning(jobFields),
  );

export type ActiveJob = NonNullable<Awaited<ReturnType<typeof beginJob>>>;

/** Undefined where it has ended. */
export const beginJob = async (tx: Transaction, owner: JobOwner) => {
  const job = await firstRow(
    tx
      .update(massVerifications)
      .set({ status: 'running', startedAt: sql`coalesce(${massVerifications.startedAt}, now())` })
      .where(and(ofOwner(owner), inArray(status, ['queued', 'running'])))
      .returning({
        ...{ serverId, guildId, botId, verifiedRoleId, joinedBefore, roleId },
        confirmedPower: massVerifications.confirmedPower,
        isCounted: massVerifications.isCounted,
        afterId: massVerifications.afterId,
        attemptedId: massVerifications.attemptedId,
      }),
  );
  if (job) markJob(tx, owner, job);
  return job;
};

const markJob = (db: Queryable, { accountId }: JobOwner, job: { serverId: string }): void =>
  markChanged(db, { accountId, serverId: job.serverId }, 'massVerifications');

/** What decides whether it goes on; undefined where it has ended, or its server is deleted. */
export const findJobState = (db: Database, owner: JobOwner) =>
  firstRow(
    db
      .select({
        isCancelRequested: massVerifications.isCancelRequested,
        isSameServer: sql<boolean>`coalesce(${servers.platformGuildId} = ${guildId}
          and ${servers.customBotId} = ${botId}
          and ${servers.verifiedRoleId} = ${verifiedRoleId}, false)`,
      })
      .from(massVerifications)
      .innerJoin(
        servers,
        and(eq(servers.id, serverId), eq(servers.accountId, accountId), isNull(servers.deletedAt)),
      )
      .where(and(ofOwner(owner), eq(status, 'running'))),
  );

const updateRunning = async (
  tx: Transaction,
  owner: JobOwner,
  changes: PgUpdateSetSource<typeof massVerifications>,
): Promise<void> => {
  const job = await firstRow(
    tx
      .update(massVerifications)
      .set(changes)
      .where(and(ofOwner(owner), eq(status, 'running')))
      .returning({ serverId }),
  );
  if (job) markJob(tx, owner, job);
};

/** `lastId`: where the next page begins; null once all were counted. */
export const storeCounted = (
  tx: Transaction,
  owner: JobOwner,
  { found, lastId }: { found: number; lastId: string | null },
): Promise<void> =>
  updateRunning(tx, owner, {
    total: sql`${total} + ${found}`,
    ...{ afterId: lastId, isCounted: lastId === null },
  });

/** Before the call for them is sent. */
export const storeAttempt = (tx: Transaction, owner: JobOwner, attemptedId: string) =>
  updateRunning(tx, owner, { attemptedId });

export type Processed = Record<MassVerificationResult | 'left', number>;

/** Everybody up to `lastId` is processed. Who left counts no longer. */
export const storeProcessed = (
  tx: Transaction,
  owner: JobOwner,
  { given, already, failed, left }: Processed,
  lastId: string,
): Promise<void> => {
  const here = given + already + failed;
  return updateRunning(tx, owner, {
    given: sql`${massVerifications.given} + ${given}`,
    already: sql`${massVerifications.already} + ${already}`,
    failed: sql`${massVerifications.failed} + ${failed}`,
    processed: sql`${processed} + ${here}`,
    // Some may have come since they were counted.
    total: sql`greatest(${total} - ${left}, ${processed} + ${here})`,
    ...{ afterId: lastId, attemptedId: null },
  });
};

export type JobEnd = { status: 'completed' | 'failed' | 'cancelled'; error?: string };

/** Whom it reached last is nobody's business then. Undefined where it had ended already. */
export const endJob = (
  tx: Transaction,
  owner: JobOwner,
  end: JobEnd,
  from: 'queued' | 'running' = 'running',
) =>
  firstRow(
    tx
      .update(massVerifications)
      .set({
        ...end,
        ...{ afterId: null, attemptedId: null, completedAt: sql`now()` },
        ...(end.status === 'completed' && { total: sql`${processed}` }),
      })
      .where(and(ofOwner(owner), eq(status, from)))
      .returning(jobFields),
  );

export const purgeMassVerifications = purgeByServer(massVerifications, id);

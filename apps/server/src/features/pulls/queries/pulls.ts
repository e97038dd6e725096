import type { PageQuery } from '@holdfast/contract';
import { and, desc, eq, exists, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import {
  type Database,
  markChanged,
  type Queryable,
  type Transaction,
} from '../../../db/connect.ts';
import { preparedRead } from '../../../db/prepared.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import { pullMembers, pulls } from '../table.ts';

const { id, accountId, serverId, status, createdAt } = pulls;

const pullFields = {
  id,
  serverId,
  targetServerId: pulls.targetServerId,
  roleId: pulls.roleId,
  restoreRoles: pulls.restoreRoles,
  rolesFromBackupId: pulls.rolesFromBackupId,
  unrestored: pulls.unrestored,
  rolesRefused: pulls.rolesRefused,
  status,
  total: pulls.total,
  processed: pulls.processed,
  joined: pulls.joined,
  alreadyMember: pulls.alreadyMember,
  banned: pulls.banned,
  guildLimit: pulls.guildLimit,
  tokenInvalid: pulls.tokenInvalid,
  blacklisted: pulls.blacklisted,
  withdrawn: pulls.withdrawn,
  failed: pulls.failed,
  areMembersSelected: sql<boolean>`${pulls.selectedAt} is not null`,
  firstBurst: pulls.firstBurst,
  expectedTotal: pulls.expectedTotal,
  expectedSecondsPerMember: pulls.expectedSecondsPerMember,
  /** Since the first result, by the clock that timed it. */
  measuredSeconds: sql<number | null>`
    extract(epoch from clock_timestamp() - ${pulls.firstResultAt})::float8`,
  error: pulls.error,
  createdAt,
  startedAt: pulls.startedAt,
  completedAt: pulls.completedAt,
};

type Server = { id: string; accountId: string };
export type PullOwner = { accountId: string; pullId: string };
export type PullRow = NonNullable<Awaited<ReturnType<typeof findPull>>>;

const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));
export const ofOwner = (owner: PullOwner) =>
  and(eq(id, owner.pullId), eq(accountId, owner.accountId));
const isActive = inArray(status, ['queued', 'running']);

export const listPulls = (db: Queryable, server: Server, query: PageQuery) => {
  const rows = db
    .select(pullFields)
    .from(pulls)
    .where(ofServer(server))
    .orderBy(desc(createdAt), desc(id));
  return listPage(query, rows, countPullsOfServer(db, server));
};

export const countPullsOfServer = (db: Queryable, server: Server): Promise<number> =>
  countRows(db, pulls, ofServer(server));

/** Undefined where one is under way on that server. */
export const insertPull = (tx: Transaction, row: typeof pulls.$inferInsert) =>
  firstRow(tx.insert(pulls).values(row).onConflictDoNothing().returning(pullFields));

/** Undefined also where its server is deleted. */
export const findPull = async (db: Queryable, owner: PullOwner) => {
  const server = db
    .select({ id: servers.id })
    .from(servers)
    .where(and(eq(servers.id, serverId), isNull(servers.deletedAt)));
  const [pull] = await db
    .select(pullFields)
    .from(pulls)
    .where(and(ofOwner(owner), exists(server)));
  return pull;
};

/** Undefined where no worker runs it: it is queued, or has ended. */
export const requestCancel = async (tx: Transaction, owner: PullOwner) => {
  const [pull] = await tx
    .update(pulls)
    .set({ isCancelRequested: true })
    .where(and(ofOwner(owner), eq(status, 'running')))
    .returning(pullFields);
  return pull;
};

/** Whether a member was tried, so that the pull has cost its cooldown. */
export const hasTried = (tx: Transaction, owner: PullOwner): Promise<boolean> =>
  hasRows(
    tx
      .select({ id })
      .from(pulls)
      .leftJoin(pullMembers, and(eq(pullMembers.pullId, id), isNotNull(pullMembers.begunAt)))
      .where(and(ofOwner(owner), or(gt(pulls.processed, 0), isNotNull(pullMembers.seq))))
      .limit(1),
  );

/** The pace so far, in the terms of what a pull expects. */
const measuredPace = sql`case when ${pulls.processed} > ${pulls.firstBurst} then
  extract(epoch from ${pulls.completedAt} - ${pulls.firstResultAt})::float8
    / (${pulls.processed} - ${pulls.firstBurst}) end`;

/**
 * Queues a pull that has stopped again. Undefined where it has not, or nobody is left; violates a
 * constraint where another pull of its server is under way. What a person confirmed ends where nobody does
 * so again.
 */
export const requeuePull = async (tx: Transaction, owner: PullOwner, isConfirmed: boolean) => {
  const open = tx
    .select({ seq: pullMembers.seq })
    .from(pullMembers)
    .where(and(eq(pullMembers.pullId, id), isNull(pullMembers.result)));
  const [pull] = await tx
    .update(pulls)
    .set({
      ...{ status: 'queued', isCancelRequested: false, error: null, completedAt: null },
      ...(isConfirmed ? {} : { confirmedPower: '0' }),
      // The time between is no part of the pace.
      firstResultAt: null,
      firstBurst: sql`${pulls.processed}`,
      expectedSecondsPerMember: sql`coalesce(${measuredPace}, ${pulls.expectedSecondsPerMember})`,
    })
    .where(
      and(
        ofOwner(owner),
        inArray(status, ['cancelled', 'failed']),
        or(isNull(pulls.selectedAt), exists(open)),
      ),
    )
    .returning(pullFields);
  return pull;
};

/** Its progress too: open pages follow it. */
export const markPulls = (
  db: Queryable,
  { accountId }: PullOwner,
  changed: { serverId: string }[],
): void => {
  for (const { serverId } of changed) markChanged(db, { accountId, serverId }, 'pulls');
};

export type ActivePull = NonNullable<Awaited<ReturnType<typeof beginPull>>>;

/** Undefined where it has ended. */
export const beginPull = async (tx: Transaction, owner: PullOwner) => {
  const [pull] = await tx
    .update(pulls)
    .set({ status: 'running', startedAt: sql`coalesce(${pulls.startedAt}, now())` })
    .where(and(ofOwner(owner), isActive))
    .returning({
      ...{ serverId, targetServerId: pulls.targetServerId, roleId: pulls.roleId, createdAt },
      confirmedPower: pulls.confirmedPower,
      restoreRoles: pulls.restoreRoles,
      allowDangerousRoles: pulls.allowDangerousRoles,
      rolesFromBackupId: pulls.rolesFromBackupId,
      savedRoles: pulls.savedRoles,
      unrestored: pulls.unrestored,
    });
  markPulls(tx, owner, pull ? [pull] : []);
  return pull;
};

export const storeRoleToGive = async (tx: Transaction, owner: PullOwner, roleId: string) => {
  await tx.update(pulls).set({ roleId }).where(ofOwner(owner));
};

export const target = alias(servers, 'target');

/** What decides whether a pull goes on, and where to. */
export const targetFields = {
  isCancelRequested: pulls.isCancelRequested,
  targetGuildId: target.platformGuildId,
  targetBotId: target.customBotId,
};

export const isSource = and(eq(servers.id, serverId), isNull(servers.deletedAt));
export const isTarget = and(
  eq(target.id, pulls.targetServerId),
  eq(target.accountId, accountId),
  isNull(target.deletedAt),
);
export const isRunning = and(
  eq(id, sql.placeholder('pullId')),
  eq(accountId, sql.placeholder('accountId')),
  eq(status, 'running'),
);

const readTargetState = preparedRead((db) =>
  db
    .select(targetFields)
    .from(pulls)
    .innerJoin(servers, isSource)
    .leftJoin(target, isTarget)
    .where(isRunning),
);

export type TargetState = Awaited<ReturnType<typeof readTargetState>>[number];

/** Undefined where the pull has ended, or its server is deleted. */
export const findTargetState = async (
  db: Database,
  owner: PullOwner,
): Promise<TargetState | undefined> => (await readTargetState(db, owner))[0];

export type PullEnd = { status: 'completed' | 'failed' | 'cancelled'; error?: string };

/** Undefined where it had ended already. */
export const endPull = async (
  tx: Transaction,
  owner: PullOwner,
  end: PullEnd,
  from: 'queued' | 'running' = 'running',
) => {
  const [pull] = await tx
    .update(pulls)
    .set({ ...end, completedAt: sql`now()` })
    .where(and(ofOwner(owner), eq(status, from)))
    .returning(pullFields);
  return pull;
};

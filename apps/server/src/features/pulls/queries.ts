import type { PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, exists, inArray, isNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database, Queryable, Transaction } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { servers } from '../servers/table.ts';
import { pulls } from './table.ts';

const { id, accountId, serverId, status, createdAt } = pulls;

const shownFields = {
  id,
  serverId,
  targetServerId: pulls.targetServerId,
  roleId: pulls.roleId,
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
  isFrozen: sql<boolean>`${pulls.frozenAt} is not null`,
  firstBurst: pulls.firstBurst,
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
export type ShownPull = NonNullable<Awaited<ReturnType<typeof findPull>>>;

const ofServer = (server: Server) => and(eq(serverId, server.id), eq(accountId, server.accountId));
export const ofOwner = (owner: PullOwner) => and(eq(id, owner.pullId), eq(accountId, owner.accountId));
const isActive = inArray(status, ['queued', 'running']);

export const listPulls = async (db: Queryable, server: Server, { page, limit }: PageQuery) => {
  const rows = await db
    .select(shownFields)
    .from(pulls)
    .where(ofServer(server))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .offset((page - 1) * limit);
  return { rows, total: await countPullsOfServer(db, server) };
};

export const countPullsOfServer = async (db: Queryable, server: Server): Promise<number> => {
  const [counted] = await db.select({ total: count() }).from(pulls).where(ofServer(server));
  return counted?.total ?? 0;
};

/** Undefined where one is under way on that server. */
export const insertPull = async (tx: Transaction, row: typeof pulls.$inferInsert) => {
  const [pull] = await tx.insert(pulls).values(row).onConflictDoNothing().returning(shownFields);
  return pull;
};

const serverIsThere = (db: Queryable) =>
  exists(
    db
      .select({ id: servers.id })
      .from(servers)
      .where(and(eq(servers.id, serverId), isNull(servers.deletedAt))),
  );

/** As its owner sees it: gone with the server. */
export const findPull = async (db: Queryable, owner: PullOwner) => {
  const [pull] = await db
    .select(shownFields)
    .from(pulls)
    .where(and(ofOwner(owner), serverIsThere(db)));
  return pull;
};

/** Undefined where nobody is at it: it is queued, or has ended. */
export const requestCancel = async (tx: Transaction, owner: PullOwner) => {
  const [pull] = await tx
    .update(pulls)
    .set({ isCancelRequested: true })
    .where(and(ofOwner(owner), eq(status, 'running')))
    .returning(shownFields);
  return pull;
};

export type ActivePull = NonNullable<Awaited<ReturnType<typeof beginPull>>>;

/** All a worker needs; undefined where there is nothing left to do. */
export const beginPull = async (tx: Transaction, owner: PullOwner) => {
  const [pull] = await tx
    .update(pulls)
    .set({ status: 'running', startedAt: sql`coalesce(${pulls.startedAt}, now())` })
    .where(and(ofOwner(owner), isActive))
    .returning({ targetServerId: pulls.targetServerId, roleId: pulls.roleId, createdAt });
  return pull;
};

export const target = alias(servers, 'target');

/** What decides whether a pull goes on, and where to. */
export const courseFields = {
  isCancelRequested: pulls.isCancelRequested,
  targetGuildId: target.platformGuildId,
  targetBotId: target.customBotId,
};

/** While it lasts: it has not ended, and its server is there. */
export const sourceIsThere = and(eq(servers.id, serverId), isNull(servers.deletedAt));
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

const course = preparedRead((db) =>
  db
    .select(courseFields)
    .from(pulls)
    .innerJoin(servers, sourceIsThere)
    .leftJoin(target, isTarget)
    .where(isRunning),
);

export type Course = Awaited<ReturnType<typeof course>>[number];

/** Undefined where it has ended, or its server is gone. */
export const findCourse = async (db: Database, owner: PullOwner): Promise<Course | undefined> =>
  (await course(db, owner))[0];

export type Ending = { status: 'completed' | 'failed' | 'cancelled'; error?: string };

/** Undefined where it had ended already. */
export const endPull = async (
  tx: Transaction,
  owner: PullOwner,
  ending: Ending,
  from: 'queued' | 'running' = 'running',
) => {
  const [pull] = await tx
    .update(pulls)
    .set({ ...ending, completedAt: sql`now()` })
    .where(and(ofOwner(owner), eq(status, from)))
    .returning(shownFields);
  return pull;
};

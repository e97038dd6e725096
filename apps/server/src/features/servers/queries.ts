import type { PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { type Database, markChanged, type Queryable, type Transaction } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { batchedRead } from '../../db/queries/batched-read.ts';
import { countRows } from '../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { isConnected } from './health/queries.ts';
import { hasBackupSchedule, servers } from './table.ts';

const { id, accountId, deletedAt, createdAt } = servers;

const listFields = {
  id,
  platformGuildId: servers.platformGuildId,
  name: servers.name,
  iconUrl: servers.iconUrl,
  memberCount: servers.memberCount,
  verifiedRoleId: servers.verifiedRoleId,
  logChannelId: servers.logChannelId,
  captchaType: servers.captchaType,
  vpnBlockEnabled: servers.vpnBlockEnabled,
  altDetectEnabled: servers.altDetectEnabled,
  firewallEnabled: servers.firewallEnabled,
  antiNukeEnabled: servers.antiNukeEnabled,
  antiRaidEnabled: servers.antiRaidEnabled,
  health: servers.health,
  healthReasons: servers.healthReasons,
  isConnected,
  lastGoodBackupId: servers.lastGoodBackupId,
  createdAt,
  updatedAt: servers.updatedAt,
};
const detailFields = {
  ...listFields,
  accountId,
  customBotId: sql<string>`${servers.customBotId}`,
  minAccountAgeDays: servers.minAccountAgeDays,
  backupSchedule: servers.backupSchedule,
  retention: servers.retention,
  restoreRolesOnRejoin: servers.restoreRolesOnRejoin,
};

type Owned = { accountId: string; serverId: string };

const ownedBy = (ownerId: string) => and(eq(accountId, ownerId), isNull(deletedAt));
const owned = (owner: Owned) => and(eq(id, owner.serverId), ownedBy(owner.accountId));

const pageOf = { accountId: 'uuid', limit: 'bigint', offset: 'bigint' } as const;

/** The total comes with the rows: counted apart, because a window would carry all rows through itself. */
const serverPage = batchedRead(pageOf, (db) => {
  const isOwn = and(eq(accountId, sql.placeholder('accountId')), isNull(deletedAt));
  const total = db.select({ total: count() }).from(servers).where(isOwn);
  return db
    .select({ ...listFields, total: sql<number>`(${total})::int` })
    .from(servers)
    .where(isOwn)
    .orderBy(desc(createdAt), desc(id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'));
});

export const listServers = async (db: Database, ownerId: string, { page, limit }: PageQuery) => {
  const offset = (page - 1) * limit;
  const rows = await serverPage(db, { accountId: ownerId, limit, offset });
  const isPastEnd = rows.length === 0 && page > 1;
  const total = isPastEnd ? await countServers(db, ownerId) : (rows[0]?.total ?? 0);
  return { rows, total };
};

export const countServers = (db: Queryable, ownerId: string): Promise<number> =>
  countRows(db, servers, ownedBy(ownerId));

export const hasServerOfGuild = (db: Queryable, ownerId: string, guildId: string) =>
  hasRows(
    db
      .select({ id })
      .from(servers)
      .where(and(ownedBy(ownerId), eq(servers.platformGuildId, guildId))),
  );

/** Undefined where the account already has a server for that guild. */
export const insertServer = (tx: Transaction, row: typeof servers.$inferInsert) =>
  firstRow(tx.insert(servers).values(row).onConflictDoNothing().returning(listFields));

export const findServer = (db: Queryable, owner: Owned) =>
  firstRow(db.select(detailFields).from(servers).where(owned(owner)));

const ownership = preparedRead((db) =>
  db
    .select({ id, accountId })
    .from(servers)
    .where(
      and(
        eq(id, sql.placeholder('serverId')),
        eq(accountId, sql.placeholder('accountId')),
        isNull(deletedAt),
      ),
    ),
);

/**
 * In a transaction the row is locked as well, so that no purge deletes it meanwhile. It is the weakest
 * lock that does so, because a deletion must not wait for a steady stream of other changes.
 */
export const findOwnedServer = async (db: Database | Transaction, owner: Owned) => {
  const [server] =
    '$client' in db
      ? await ownership(db, owner)
      : await db.select({ id, accountId }).from(servers).where(owned(owner)).for('key share');
  return server;
};

export const lockServer = (tx: Transaction, owner: Owned) =>
  firstRow(tx.select(detailFields).from(servers).where(owned(owner)).for('no key update'));

export const updateServer = (
  tx: Transaction,
  owner: Owned,
  { platformGuildId: guildId, customBotId: botId, ...others }: Partial<typeof servers.$inferInsert>,
) =>
  firstRow(
    tx
      .update(servers)
      .set({
        ...others,
        ...(guildId && movedTo(guildId)),
        ...(botId && handedTo(botId)),
        updatedAt: sql`now()`,
      })
      .where(owned(owner))
      .returning(detailFields),
  );

const movedTo = (guildId: string) => ({
  platformGuildId: guildId,
  guildSince: sql`case when ${servers.platformGuildId} = ${guildId}
    then ${servers.guildSince} else now() end`,
});

const handedTo = (botId: string) => ({
  customBotId: botId,
  botSince: sql`case when ${servers.customBotId} = ${botId}::uuid
    then ${servers.botSince} else now() end`,
});

/** The server's guild and bot; undefined where the server is deleted. */
export const findGuildOfServer = async (db: Queryable, owner: Owned) => {
  const [server] = await db
    .select({ guildId: servers.platformGuildId, botId: servers.customBotId })
    .from(servers)
    .where(owned(owner));
  return server?.botId ? { guildId: server.guildId, botId: server.botId } : undefined;
};

/** The roles that newcomers of a guild get, by all records that the account has of it. */
export const listVerifiedRoles = async (
  db: Queryable,
  { accountId: ownerId, guildId }: { accountId: string; guildId: string },
): Promise<string[]> => {
  const rows = await db
    .select({ roleId: servers.verifiedRoleId })
    .from(servers)
    .where(and(ownedBy(ownerId), eq(servers.platformGuildId, guildId)));
  return rows.flatMap(({ roleId }) => roleId ?? []);
};

/** The account's servers by the guilds that they are for. */
export const findServersOfGuilds = async (db: Queryable, ownerId: string) => {
  const rows = await db
    .select({ id, guildId: servers.platformGuildId })
    .from(servers)
    .where(ownedBy(ownerId));
  return new Map(rows.map((server) => [server.guildId, server.id]));
};

export const listGuildIds = async (db: Queryable, ownerId: string): Promise<string[]> => {
  const rows = await db
    .select({ guildId: servers.platformGuildId })
    .from(servers)
    .where(and(eq(servers.accountId, ownerId), isNull(servers.deletedAt)));
  return rows.map(({ guildId }) => guildId);
};

/** The names of those that are not deleted, by their ids. */
export const findServerNames = async (db: Queryable, ownerId: string, serverIds: string[]) => {
  if (serverIds.length === 0) return new Map<string, string>();
  const rows = await db
    .select({ id, name: servers.name })
    .from(servers)
    .where(and(ownedBy(ownerId), inArray(id, serverIds)));
  return new Map(rows.map((server) => [server.id, server.name]));
};

export const listServersToRefresh = (db: Queryable, before: Date, most: number) =>
  db
    .select({ serverId: id, accountId })
    .from(servers)
    .where(and(isNull(deletedAt), or(isNull(servers.refreshedAt), lt(servers.refreshedAt, before))))
    .orderBy(sql`${servers.refreshedAt} nulls first`)
    .limit(most);

/** Not a change of settings, so `updatedAt` stays. Nothing is stored where the guild has changed. */
export const storeGuildSummary = async (
  db: Queryable,
  owner: Owned & { guildId: string },
  summary: { iconUrl: string | null; memberCount: number } | undefined,
) => {
  await db
    .update(servers)
    .set({ ...summary, refreshedAt: sql`now()` })
    .where(and(owned(owner), eq(servers.platformGuildId, owner.guildId)));
  if (summary) markChanged(db, owner, 'servers');
};

/** What is known of a guild by its events. `joined` counts those who came less those who left. */
export type LiveGuild = {
  name?: string;
  iconUrl?: string | null;
  memberCount?: number;
  joined?: number;
};

/** Not a change of settings, so `updatedAt` stays. */
export const storeLiveGuild = async (
  tx: Transaction,
  { botId, accountId: ownerId, guildId }: { botId: string; accountId: string; guildId: string },
  { name, iconUrl, memberCount, joined = 0 }: LiveGuild,
) => {
  const counted = memberCount === undefined ? servers.memberCount : sql`${memberCount}::int`;
  const changed = await tx
    .update(servers)
    .set({ name, iconUrl, memberCount: sql`greatest(0, ${counted} + ${joined}::int)` })
    .where(
      and(ownedBy(ownerId), eq(servers.customBotId, botId), eq(servers.platformGuildId, guildId)),
    )
    .returning({ serverId: id });
  for (const { serverId } of changed) {
    markChanged(tx, { accountId: ownerId, serverId }, 'servers');
  }
};

/** From here on it is invisible, and its bot can be deleted. */
export const markServerDeleted = (tx: Transaction, owner: Owned) =>
  firstRow(
    tx
      .update(servers)
      .set({ deletedAt: sql`now()`, customBotId: null })
      .where(owned(owner))
      .returning({
        id,
        name: servers.name,
        platformGuildId: servers.platformGuildId,
        antiNukeEnabled: servers.antiNukeEnabled,
        antiRaidEnabled: servers.antiRaidEnabled,
      }),
  );

/** Marks all servers of an account; returns how many there were. */
export const markServersDeleted = async (tx: Transaction, ownerId: string): Promise<number> => {
  const marked = await tx
    .update(servers)
    .set({ deletedAt: sql`now()`, customBotId: null })
    .where(ownedBy(ownerId))
    .returning({ id });
  return marked.length;
};

/** Which of these nobody else holds. They are locked until the transaction ends. */
export const lockFreeServers = async (tx: Transaction, serverIds: string[]): Promise<string[]> => {
  const free = await tx
    .select({ id })
    .from(servers)
    .where(and(inArray(id, serverIds), isNull(deletedAt)))
    .for('no key update', { skipLocked: true });
  return free.map((server) => server.id);
};

/** Of a server that is locked, so that no backup of it comes or goes meanwhile. */
export const storeLastScheduled = async (tx: Transaction, owner: Owned, at: Date | null) => {
  await tx.update(servers).set({ lastScheduledAt: at }).where(owned(owner));
};

type LastScheduled = { serverId: string; lastScheduledAt: Date | null };

/** The same of many. They are named by their ids as well, so that no other is read. */
export const storeAllLastScheduled = async (tx: Transaction, known: LastScheduled[]) => {
  const ids = known.map(({ serverId }) => serverId);
  await tx
    .update(servers)
    .set({ lastScheduledAt: sql`known."lastScheduledAt"` })
    .from(sql`json_to_recordset(${JSON.stringify(known)}::text::json)
      as known ("serverId" uuid, "lastScheduledAt" timestamptz)`)
    .where(and(inArray(id, ids), sql`${id} = known."serverId"`));
};

/** A clock that was set back leaves times that would hold up the next backup. */
export const forgetFutureScheduled = async (db: Queryable) => {
  await db
    .update(servers)
    .set({ lastScheduledAt: null })
    .where(and(hasBackupSchedule, gt(servers.lastScheduledAt, sql`statement_timestamp()`)));
};

/** The last step of a purge. */
export const deleteMarkedServer = async (db: Queryable, serverId: string) => {
  await db.delete(servers).where(and(eq(id, serverId), isNotNull(deletedAt)));
};

export const isMarkedDeleted = async (db: Queryable, serverId: string): Promise<boolean> =>
  (await countRows(db, servers, and(eq(id, serverId), isNotNull(deletedAt)))) > 0;

/** The database's clock. */
export const readTime = async (db: Queryable): Promise<Date> => {
  const [row] = await db.execute(
    sql`select extract(epoch from clock_timestamp())::float8 * 1000 as "epochMs"`,
  );
  return new Date(Number(row?.epochMs));
};

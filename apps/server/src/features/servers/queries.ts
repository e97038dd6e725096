import type { PageQuery } from '@holdfast/contract';
import {
  and,
  count,
  desc,
  eq,
  isNotNull,
  isNull,
  lt,
  or,
  type Placeholder,
  sql,
} from 'drizzle-orm';
import type { Database, Queryable, Transaction } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { servers } from './table.ts';

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
};

type Owned = { accountId: string; serverId: string };

const ownedBy = (ownerId: string) => and(eq(accountId, ownerId), isNull(deletedAt));
const owned = (owner: Owned) => and(eq(id, owner.serverId), ownedBy(owner.accountId));

/**
 * A bare parameter makes PostgreSQL plan anew at every call; behind a select it does not. Drizzle
 * takes any expression here, but its type knows only placeholders.
 */
const plannedOffset = sql`(select ${sql.placeholder('offset')}::bigint)` as unknown as Placeholder;

/** The total rides along with the rows: one question to the database instead of two. */
const serverPage = preparedRead((db) =>
  db
    .select({ ...listFields, total: sql<number>`(count(*) over ())::int` })
    .from(servers)
    .where(and(eq(accountId, sql.placeholder('accountId')), isNull(deletedAt)))
    .orderBy(desc(createdAt), desc(id))
    .limit(sql.placeholder('limit'))
    .offset(plannedOffset),
);

export const listServers = async (db: Database, ownerId: string, { page, limit }: PageQuery) => {
  const offset = (page - 1) * limit;
  const rows = await serverPage(db, { accountId: ownerId, limit, offset });
  const isPastEnd = rows.length === 0 && page > 1;
  const total = isPastEnd ? await countServers(db, ownerId) : (rows[0]?.total ?? 0);
  return { rows, total };
};

export const countServers = async (db: Queryable, ownerId: string): Promise<number> => {
  const [counted] = await db.select({ total: count() }).from(servers).where(ownedBy(ownerId));
  return counted?.total ?? 0;
};

/** Undefined where the account already has a server for that guild. */
export const insertServer = async (tx: Transaction, row: typeof servers.$inferInsert) => {
  const [server] = await tx.insert(servers).values(row).onConflictDoNothing().returning(listFields);
  return server;
};

export const findServer = async (db: Queryable, owner: Owned) => {
  const [server] = await db.select(detailFields).from(servers).where(owned(owner));
  return server;
};

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
 * In a transaction the row is held as well: a purge cannot erase it under our feet. The weakest lock
 * that does so, because a deletion must not wait for a stream of others to pause.
 */
export const findOwnedServer = async (db: Database | Transaction, owner: Owned) => {
  const [server] =
    '$client' in db
      ? await ownership(db, owner)
      : await db.select({ id, accountId }).from(servers).where(owned(owner)).for('key share');
  return server;
};

export const lockServer = async (tx: Transaction, owner: Owned) => {
  const [server] = await tx
    .select(detailFields)
    .from(servers)
    .where(owned(owner))
    .for('no key update');
  return server;
};

export const updateServer = async (
  tx: Transaction,
  owner: Owned,
  changes: Partial<typeof servers.$inferInsert>,
) => {
  const [server] = await tx
    .update(servers)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(owned(owner))
    .returning(detailFields);
  return server;
};

/** Which bot looks after which guild; none where the server is gone. */
export const findGuildOfServer = async (db: Queryable, owner: Owned) => {
  const [server] = await db
    .select({ guildId: servers.platformGuildId, botId: servers.customBotId })
    .from(servers)
    .where(owned(owner));
  return server?.botId ? { guildId: server.guildId, botId: server.botId } : undefined;
};

export const listServersToRefresh = (db: Queryable, before: Date, most: number) =>
  db
    .select({ serverId: id, accountId })
    .from(servers)
    .where(and(isNull(deletedAt), or(isNull(servers.refreshedAt), lt(servers.refreshedAt, before))))
    .orderBy(sql`${servers.refreshedAt} nulls first`)
    .limit(most);

/** Not a change of its settings: `updatedAt` stays. Only while it still is about that guild. */
export const storeGuildLook = async (
  db: Queryable,
  owner: Owned & { guildId: string },
  look: { iconUrl: string | null; memberCount: number } | undefined,
): Promise<void> => {
  await db
    .update(servers)
    .set({ ...look, refreshedAt: sql`now()` })
    .where(and(owned(owner), eq(servers.platformGuildId, owner.guildId)));
};

/** From here on nobody sees it; its bot is free to go. */
export const markServerDeleted = async (tx: Transaction, owner: Owned) => {
  const [server] = await tx
    .update(servers)
    .set({ deletedAt: sql`now()`, customBotId: null })
    .where(owned(owner))
    .returning({ id, name: servers.name, platformGuildId: servers.platformGuildId });
  return server;
};

/** All servers of an account at once; tells how many there were. */
export const markServersDeleted = async (tx: Transaction, ownerId: string): Promise<number> => {
  const marked = await tx
    .update(servers)
    .set({ deletedAt: sql`now()`, customBotId: null })
    .where(ownedBy(ownerId))
    .returning({ id });
  return marked.length;
};

/** The last step of a purge; only what was marked deleted can go. */
export const eraseDeletedServer = async (db: Queryable, serverId: string): Promise<void> => {
  await db.delete(servers).where(and(eq(id, serverId), isNotNull(deletedAt)));
};

export const isMarkedDeleted = async (db: Queryable, serverId: string): Promise<boolean> => {
  const found = await db
    .select({ id })
    .from(servers)
    .where(and(eq(id, serverId), isNotNull(deletedAt)));
  return found.length > 0;
};

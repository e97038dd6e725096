import { and, eq, isNull, not, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { type Absence, liveGuilds } from './table.ts';

type InGuild = { accountId: string; serverId: string; guildId: string };

const { serverId, accountId, guildId } = liveGuilds;

const ofGuild = (server: InGuild) =>
  and(eq(serverId, server.serverId), eq(accountId, server.accountId), eq(guildId, server.guildId));

export type LiveRow = Omit<
  typeof liveGuilds.$inferSelect,
  'serverId' | 'accountId' | 'guildId' | 'seenAt' | 'changedAt'
>;

const columnsOf = (row: LiveRow): LiveRow => {
  const { isInGuild, absence, channelIds, roleIds, managedRoleIds } = row;
  return { isInGuild, absence, channelIds, roleIds, managedRoleIds };
};

/** Undefined where the guild was not seen since the server points at it. */
export const findLiveGuild = (db: Queryable, server: InGuild) =>
  firstRow(
    db
      .select({
        isInGuild: liveGuilds.isInGuild,
        absence: liveGuilds.absence,
        channelIds: liveGuilds.channelIds,
        roleIds: liveGuilds.roleIds,
        managedRoleIds: liveGuilds.managedRoleIds,
        changedAt: liveGuilds.changedAt,
        /** A clock that was set back leaves times of the future, which say nothing. */
        isOfFuture: sql<boolean>`${liveGuilds.changedAt} > clock_timestamp()`,
      })
      .from(liveGuilds)
      .where(ofGuild(server)),
  );

/** What was seen in full replaces whatever was known before, also of another guild. */
export const storeSeenGuild = async (
  tx: Transaction,
  { accountId: ownerId, serverId: id, guildId: seenIn }: InGuild,
  row: LiveRow,
  seenAt: Date | SQL = sql`clock_timestamp()`,
): Promise<void> => {
  const seen = { ...columnsOf(row), guildId: seenIn, seenAt, changedAt: seenAt };
  await tx
    .insert(liveGuilds)
    .values({ ...seen, serverId: id, accountId: ownerId })
    .onConflictDoUpdate({ target: serverId, set: seen });
};

/** Changes that were reported since. */
export const storeLiveChanges = async (
  tx: Transaction,
  server: InGuild,
  row: LiveRow,
): Promise<void> => {
  await tx
    .update(liveGuilds)
    .set({ ...columnsOf(row), changedAt: sql`clock_timestamp()` })
    .where(ofGuild(server));
};

/** False where it is known already, or the bot is in the guild again. */
export const storeAbsence = (tx: Transaction, server: InGuild, absence: Absence) =>
  hasRows(
    tx
      .update(liveGuilds)
      .set({ absence })
      .where(and(ofGuild(server), not(liveGuilds.isInGuild), isNull(liveGuilds.absence)))
      .returning({ serverId }),
  );

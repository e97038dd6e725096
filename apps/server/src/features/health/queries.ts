import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { liveGuilds } from './table.ts';

type InGuild = { accountId: string; serverId: string; guildId: string };

const { serverId, accountId, guildId } = liveGuilds;

export type LiveRow = Omit<
  typeof liveGuilds.$inferSelect,
  'serverId' | 'accountId' | 'guildId' | 'seenAt' | 'changedAt'
>;

const columnsOf = ({ isInGuild, channelIds, roleIds, managedRoleIds }: LiveRow): LiveRow => ({
  ...{ isInGuild, channelIds, roleIds, managedRoleIds },
});

/** Undefined where the guild was not seen since the server points at it. */
export const findLiveGuild = (db: Queryable, server: InGuild) =>
  firstRow(
    db
      .select({
        isInGuild: liveGuilds.isInGuild,
        channelIds: liveGuilds.channelIds,
        roleIds: liveGuilds.roleIds,
        managedRoleIds: liveGuilds.managedRoleIds,
        changedAt: liveGuilds.changedAt,
        /** A clock that was set back leaves times of the future, which say nothing. */
        isOfFuture: sql<boolean>`${liveGuilds.changedAt} > clock_timestamp()`,
      })
      .from(liveGuilds)
      .where(
        and(
          eq(serverId, server.serverId),
          eq(accountId, server.accountId),
          eq(guildId, server.guildId),
        ),
      ),
  );

/** What was seen in full replaces whatever was known before, also of another guild. */
export const storeSeenGuild = async (
  tx: Transaction,
  { accountId: ownerId, serverId: id, guildId: ofGuild }: InGuild,
  row: LiveRow,
  seenAt: Date | SQL = sql`clock_timestamp()`,
): Promise<void> => {
  const seen = { ...columnsOf(row), guildId: ofGuild, seenAt, changedAt: seenAt };
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
    .where(
      and(
        eq(serverId, server.serverId),
        eq(accountId, server.accountId),
        eq(guildId, server.guildId),
      ),
    );
};

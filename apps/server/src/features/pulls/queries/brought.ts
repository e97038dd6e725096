import { and, eq, gt, inArray, isNull, lt, notExists, or, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { members, seenMembers } from '../../members/table.ts';
import { servers } from '../../servers/table.ts';
import { pullMembers, pulls } from '../table.ts';

type InGuild = { accountId: string; botId: string; guildId: string };

/** A join is reported within seconds, or after the bot's connection was resumed. */
const reportedWithin = sql`interval '1 hour'`;

/** Those of the people whom a pull has added to the guild, or is adding, since they were last seen to leave. */
export const listBroughtByPulls = async (
  db: Queryable,
  guild: InGuild,
  platformIds: readonly string[],
): Promise<string[]> => {
  if (platformIds.length === 0) return [];
  const leftSince = db
    .select({ memberId: seenMembers.memberId })
    .from(seenMembers)
    .innerJoin(sql`${members} as here`, sql`here.id = ${seenMembers.memberId}`)
    .where(
      and(
        sql`here.platform_id = ${members.platformId}`,
        eq(seenMembers.serverId, servers.id),
        eq(seenMembers.guildId, servers.platformGuildId),
        lt(pullMembers.begunAt, seenMembers.leftAt),
      ),
    );
  const rows = await db
    .selectDistinct({ platformId: members.platformId })
    .from(members)
    .innerJoin(pullMembers, eq(pullMembers.memberId, members.id))
    .innerJoin(pulls, eq(pulls.id, pullMembers.pullId))
    .innerJoin(servers, eq(servers.id, pulls.targetServerId))
    .where(
      and(
        eq(members.accountId, guild.accountId),
        inArray(members.platformId, [...platformIds]),
        eq(pulls.accountId, guild.accountId),
        eq(servers.accountId, guild.accountId),
        eq(servers.platformGuildId, guild.guildId),
        gt(pullMembers.begunAt, sql`now() - ${reportedWithin}`),
        or(isNull(pullMembers.result), eq(pullMembers.result, 'joined')),
        notExists(leftSince),
      ),
    );
  return rows.map(({ platformId }) => platformId);
};

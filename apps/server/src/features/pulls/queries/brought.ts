import { and, eq, gt, inArray, isNull, lt, notExists, or, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { members, seenMembers } from '../../members/table.ts';
import { servers } from '../../servers/table.ts';
import { pullMembers, pulls } from '../table.ts';

type InGuild = { accountId: string; botId: string; guildId: string };

type Arrival = { platformId: string; joinedAt: string | null; isMissed: boolean };

/** A join is reported within seconds, or after the bot's connection was resumed. */
const reportedWithin = sql`interval '1 hour'`;

/**
 * Those of the people whom a pull has added to the guild, or is adding, since they were last seen to leave
 * or to come. Of joins that were not heard, the platform says when they were.
 */
export const listBroughtByPulls = async (
  db: Queryable,
  guild: InGuild,
  arrivals: readonly Arrival[],
): Promise<string[]> => {
  if (arrivals.length === 0) return [];
  const platformIds = arrivals.map(({ platformId }) => platformId);
  const arrived = sql`jsonb_to_recordset(${JSON.stringify(arrivals)}::text::jsonb)
    as arrived("platformId" text, "isMissed" boolean, "joinedAt" timestamptz)`;
  const cameAt = sql`case when arrived."isMissed" then coalesce(arrived."joinedAt", now()) else now() end`;
  const leftSince = db
    .select({ memberId: seenMembers.memberId })
    .from(seenMembers)
    .innerJoin(sql`${members} as here`, sql`here.id = ${seenMembers.memberId}`)
    .where(
      and(
        sql`here.platform_id = ${members.platformId}`,
        eq(seenMembers.serverId, servers.id),
        eq(seenMembers.guildId, servers.platformGuildId),
        or(
          lt(pullMembers.begunAt, seenMembers.leftAt),
          and(
            lt(pullMembers.begunAt, seenMembers.joinedAt),
            sql`${seenMembers.joinedAt} < arrived."joinedAt"`,
          ),
        ),
      ),
    );
  const rows = await db
    .selectDistinct({ platformId: members.platformId })
    .from(members)
    .innerJoin(pullMembers, eq(pullMembers.memberId, members.id))
    .innerJoin(pulls, eq(pulls.id, pullMembers.pullId))
    .innerJoin(servers, eq(servers.id, pulls.targetServerId))
    .innerJoin(arrived, sql`arrived."platformId" = ${members.platformId}`)
    .where(
      and(
        eq(members.accountId, guild.accountId),
        inArray(members.platformId, platformIds),
        eq(pulls.accountId, guild.accountId),
        eq(servers.accountId, guild.accountId),
        eq(servers.platformGuildId, guild.guildId),
        gt(pullMembers.begunAt, sql`${cameAt} - ${reportedWithin}`),
        or(isNull(pullMembers.result), eq(pullMembers.result, 'joined')),
        notExists(leftSince),
      ),
    );
  return rows.map(({ platformId }) => platformId);
};

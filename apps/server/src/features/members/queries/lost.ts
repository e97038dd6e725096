import { mostLostMembersNamed } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { servers } from '../../servers/table.ts';
import { members, seenMembers } from '../table.ts';

type Server = { id: string; accountId: string };

/**
 * The members who are gone from the server's guild since a time. Of a server that has moved since, all who
 * were not seen in its new guild: nobody was there before.
 */
export const countLostMembers = async (db: Queryable, server: Server, since: Date) => {
  const at = sql`${since.toISOString()}::timestamptz`;
  const isInGuild = sql`${seenMembers.guildId} = ${servers.platformGuildId}`;
  const isAway = sql`${seenMembers.leftAt} is not null and ${seenMembers.returnedAt} is null`;
  const isMoved = sql`coalesce(${servers.guildSince} > ${at}, false)`;
  const isLost = sql`case when ${isMoved} then (${isInGuild} and not (${isAway})) is not true
    else ${isInGuild} and ${isAway} and ${seenMembers.leftAt} >= ${at} end`;
  const [row] = await db.execute(sql`
    select count(*)::int as total, (count(*) filter (where ${members.pullable}))::int as pullable,
      bool_or(${isMoved}) as is_moved,
      (array_agg(${members.id}) filter (where ${members.pullable}))[1:${sql.raw(`${mostLostMembersNamed}`)}] as ids
    from ${members} join ${servers} on ${servers.id} = ${members.serverId}
    left join ${seenMembers} on ${seenMembers.memberId} = ${members.id}
    where ${members.serverId} = ${server.id} and ${members.accountId} = ${server.accountId}
      and ${isLost}`);
  const [total, pullable] = [Number(row?.total ?? 0), Number(row?.pullable ?? 0)];
  const isNamed = !row?.is_moved && pullable <= mostLostMembersNamed;
  const memberIds: string[] | null = isNamed ? (row?.ids ?? []) : null;
  return { total, pullable, memberIds };
};

import { inArray, type SQL, sql } from 'drizzle-orm';
import { markChanged, type Transaction } from '../../../db/connect.ts';
import { servers } from '../../servers/table.ts';
import { members, rollCalls, seenMembers } from '../table.ts';

export type InGuild = { accountId: string; botId: string; guildId: string };

const { memberId, guildId, returnedAt } = seenMembers;

/** Null also where they left a guild that the server has moved away from, or are back. */
export const leftAt = sql<Date | null>`case when ${returnedAt} is null and ${guildId} = (
    select ${servers.platformGuildId} from ${servers} where ${servers.id} = ${members.serverId}
  ) then ${seenMembers.leftAt} end`.mapWith(seenMembers.leftAt);

const now = sql`clock_timestamp()`;

/** The members of the guild's server, in the order in which all statements here lock them. */
export const membersIn = (guild: InGuild, isThem: SQL): SQL => sql`
  from ${members} join ${servers} on ${servers.id} = ${members.serverId}
  left join ${rollCalls} on ${rollCalls.serverId} = ${servers.id}
  where ${servers.accountId} = ${guild.accountId} and ${servers.customBotId} = ${guild.botId}
    and ${servers.platformGuildId} = ${guild.guildId} and ${servers.deletedAt} is null
    and ${members.accountId} = ${guild.accountId} and ${isThem}
  order by ${members.id}`;

const areThese = (platformIds: readonly string[]): SQL =>
  inArray(members.platformId, [...platformIds]);

/** A roll call that is wanted later may judge them again. */
const heardNow = sql`coalesce(${rollCalls.number}, 0)`;

/** One who was known to be away left when that was first known. */
export const markLeft = async (
  tx: Transaction,
  guild: InGuild,
  platformIds: readonly string[],
): Promise<void> => {
  if (platformIds.length === 0) return;
  const rows = await tx.execute(sql`
    insert into ${seenMembers} as seen (member_id, account_id, server_id, guild_id, left_at, heard_in)
    select ${members.id}, ${members.accountId}, ${members.serverId}, ${guild.guildId}::text, ${now},
      ${heardNow}
    ${membersIn(guild, areThese(platformIds))}
    on conflict (member_id) do update set ${asLeft}, heard_in = excluded.heard_in
    returning server_id`);
  tellOpenPages(tx, guild, rows);
};

/** Also one who was back and left before they got what they had: that is still what they had before. */
export const asLeft = sql`guild_id = excluded.guild_id, returned_at = null, joined_at = null,
  left_at = case when seen.guild_id = excluded.guild_id then coalesce(seen.left_at, excluded.left_at)
    else excluded.left_at end`;

export const tellOpenPages = (
  tx: Transaction,
  { accountId: ofAccount }: Pick<InGuild, 'accountId'>,
  rows: readonly Record<string, string>[],
): void => {
  for (const id of new Set(rows.map(({ server_id }) => server_id))) {
    markChanged(tx, { accountId: ofAccount, serverId: id }, 'members');
  }
};

/** With what they have so far; `isMissed`: the join was not heard. */
export type Arrival = SeenRoles & { isMissed: boolean };

/** As the roll call of that number lists them; whoever was heard of since it was wanted is left alone. */
type Listing = { number: number };

/**
 * They are in the guild. Those who get back what they had are marked for it, unless they were `brought`
 * by something that gives it itself; the servers of those who are marked are returned. They left before
 * they came, whether that was heard or not.
 */
export const markReturned = async (
  tx: Transaction,
  guild: InGuild,
  arrivals: readonly Arrival[],
  { brought, listing }: { brought: readonly string[]; listing?: Listing | undefined },
): Promise<string[]> => {
  if (arrivals.length === 0) return [];
  const isBrought = brought.length === 0 ? sql`false` : areThese(brought);
  const isDue = sql`${servers.restoreRolesOnRejoin} and ${members.consentedAt} is not null
    and not ${members.blacklisted} and not (${isBrought})`;
  const rows = await tx.execute(sql`
    insert into ${seenMembers} as seen
      (member_id, account_id, server_id, guild_id, left_at, returned_at, joined_at, heard_in)
    select found.id, found.account_id, found.server_id, ${guild.guildId}::text,
      case when found.is_due
        then case when arrived."isMissed" then coalesce(arrived."joinedAt", ${now}) else ${now} end end,
      case when found.is_due then ${now} end,
      case when found.has_consent then arrived."joinedAt" end, ${listing ? sql`0` : sql`found.heard_now`}
    from (
      select ${members.id} as id, ${members.accountId} as account_id, ${members.serverId} as server_id,
        ${members.platformId} as platform_id, ${members.consentedAt} is not null as has_consent,
        ${isDue} as is_due, ${heardNow} as heard_now
      ${membersIn(guild, areThese(arrivals.map(({ platformId }) => platformId)))}
    ) as found
    join ${recordsOf(sql`arrived`, arrivals, sql`"isMissed" boolean, "joinedAt" timestamptz`)}
      on arrived."platformId" = found.platform_id
    on conflict (member_id) do update
      set guild_id = excluded.guild_id, returned_at = excluded.returned_at,
        left_at = case when excluded.returned_at is null then null
          else coalesce(seen.left_at, excluded.left_at) end,
        joined_at = excluded.joined_at, heard_in = greatest(seen.heard_in, excluded.heard_in)
      ${listing ? sql`where ${isUnheardIn(listing)}` : sql``}
    returning server_id, returned_at`);
  tellOpenPages(tx, guild, rows);
  return [...new Set(rows.flatMap((row): string[] => (row.returned_at ? [row.server_id] : [])))];
};

export const isUnheardIn = ({ number }: Listing): SQL => sql`seen.heard_in < ${number}`;

const recordsOf = (name: SQL, people: readonly { platformId: string }[], columns: SQL): SQL =>
  sql`jsonb_to_recordset(${JSON.stringify(people)}::text::jsonb)
    as ${name}("platformId" text, ${columns})`;

export type SeenRoles = {
  platformId: string;
  roleIds: string[];
  nick: string | null;
  joinedAt: string | null;
};

/**
 * What members who consented have now. Of one who is back and still without their roles it says nothing
 * about what they had. What a roll call finds unchanged since `staleBefore` is not written again.
 */
export const rememberRoles = async (
  tx: Transaction,
  guild: InGuild,
  seen: readonly SeenRoles[],
  listing?: Listing & { staleBefore: Date | undefined },
): Promise<void> => {
  if (seen.length === 0) return;
  const isThem = sql`${areThese(seen.map(({ platformId }) => platformId))}
    and ${members.consentedAt} is not null`;
  const columns = sql`"roleIds" jsonb, nick text, "joinedAt" timestamptz`;
  await tx.execute(sql`
    insert into ${seenMembers} as seen
      (member_id, account_id, server_id, guild_id, role_ids, nick, roles_seen_at, joined_at, heard_in)
    select found.id, found.account_id, found.server_id, ${guild.guildId}::text, reported."roleIds",
      reported.nick, ${now}, reported."joinedAt", ${listing ? sql`0` : sql`found.heard_now`}
    from (
      select ${members.id} as id, ${members.accountId} as account_id,
        ${members.serverId} as server_id, ${members.platformId} as platform_id,
        ${heardNow} as heard_now
      ${membersIn(guild, isThem)}
    ) as found
    join ${recordsOf(sql`reported`, seen, columns)} on reported."platformId" = found.platform_id
    on conflict (member_id) do update
      set guild_id = excluded.guild_id, left_at = null, role_ids = excluded.role_ids,
        nick = excluded.nick, roles_seen_at = excluded.roles_seen_at,
        joined_at = coalesce(excluded.joined_at, seen.joined_at),
        heard_in = greatest(seen.heard_in, excluded.heard_in)
      where (seen.left_at is null or seen.guild_id <> excluded.guild_id)
        and seen.returned_at is null ${listing ? sql`and ${isNews(listing)}` : sql``}`);
};

const isNews = ({ staleBefore, ...listing }: Listing & { staleBefore: Date | undefined }): SQL => {
  const known = sql`seen.guild_id, seen.role_ids, seen.nick, seen.joined_at`;
  const found = sql`excluded.guild_id, excluded.role_ids, excluded.nick, excluded.joined_at`;
  const isStale = staleBefore
    ? sql`seen.roles_seen_at < ${staleBefore.toISOString()}::timestamptz`
    : sql`false`;
  return sql`${isUnheardIn(listing)} and ((${known}) is distinct from (${found}) or ${isStale})`;
};

/** Without consent nothing of this is kept, and nothing is given. */
export const forgetRoles = async (tx: Transaction, of: readonly { id: string }[]) => {
  if (of.length === 0) return;
  await tx
    .update(seenMembers)
    .set({
      ...{ roleIds: null, nick: null, rolesSeenAt: null, returnedAt: null, joinedAt: null },
      leftAt: sql`case when ${returnedAt} is null then ${seenMembers.leftAt} end`,
    })
    .where(
      inArray(
        memberId,
        of.map(({ id }) => id),
      ),
    );
};

import { and, asc, eq, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import { members, seenMembers } from '../table.ts';

type Owned = { accountId: string; serverId: string };
type InGuild = { accountId: string; botId: string; guildId: string };

const { memberId, accountId, serverId, guildId, returnedAt, roleIds, nick } = seenMembers;

/** Null also where they left a guild that the server has moved away from, or are back. */
export const leftAt = sql<Date | null>`case when ${returnedAt} is null and ${guildId} = (
    select ${servers.platformGuildId} from ${servers} where ${servers.id} = ${members.serverId}
  ) then ${seenMembers.leftAt} end`.mapWith(seenMembers.leftAt);

const now = sql`clock_timestamp()`;

/** The members of the guild's server, in the order in which all statements here lock them. */
const membersIn = (guild: InGuild, isThem: SQL): SQL => sql`
  from ${members} join ${servers} on ${servers.id} = ${members.serverId}
  where ${servers.accountId} = ${guild.accountId} and ${servers.customBotId} = ${guild.botId}
    and ${servers.platformGuildId} = ${guild.guildId} and ${servers.deletedAt} is null
    and ${members.accountId} = ${guild.accountId} and ${isThem}
  order by ${members.id}`;

const areThese = (platformIds: readonly string[]): SQL =>
  inArray(members.platformId, [...platformIds]);

/** One who was known to be away left when that was first reported. */
export const markLeft = async (
  tx: Transaction,
  guild: InGuild,
  platformIds: readonly string[],
): Promise<void> => {
  if (platformIds.length === 0) return;
  const rows = await tx.execute(sql`
    insert into ${seenMembers} as seen (member_id, account_id, server_id, guild_id, left_at)
    select ${members.id}, ${members.accountId}, ${members.serverId}, ${guild.guildId}::text, ${now}
    ${membersIn(guild, areThese(platformIds))}
    on conflict (member_id) do update
      set guild_id = excluded.guild_id, left_at = excluded.left_at, returned_at = null
      where seen.left_at is null or seen.returned_at is not null
        or seen.guild_id <> excluded.guild_id
    returning server_id`);
  tellOpenPages(tx, guild, rows);
};

const tellOpenPages = (
  tx: Transaction,
  { accountId: ofAccount }: InGuild,
  rows: readonly Record<string, string>[],
): void => {
  for (const id of new Set(rows.map(({ server_id }) => server_id))) {
    markChanged(tx, { accountId: ofAccount, serverId: id }, 'members');
  }
};

/**
 * They are in the guild. Those who get back what they had are marked for it, unless they were `brought`
 * by something that gives it itself; the servers of those who are marked are returned.
 */
export const markReturned = async (
  tx: Transaction,
  guild: InGuild,
  platformIds: readonly string[],
  brought: readonly string[],
): Promise<string[]> => {
  if (platformIds.length === 0) return [];
  const isBrought = brought.length === 0 ? sql`false` : areThese(brought);
  const rows = await tx.execute(sql`
    insert into ${seenMembers} as seen (member_id, account_id, server_id, guild_id, returned_at)
    select ${members.id}, ${members.accountId}, ${members.serverId}, ${guild.guildId}::text,
      case when ${servers.restoreRolesOnRejoin} and ${members.consentedAt} is not null
        and not ${members.blacklisted} and not (${isBrought}) then ${now} end
    ${membersIn(guild, areThese(platformIds))}
    on conflict (member_id) do update
      set guild_id = excluded.guild_id, returned_at = excluded.returned_at,
        left_at = case when excluded.returned_at is null then null else seen.left_at end
    returning server_id, returned_at`);
  tellOpenPages(tx, guild, rows);
  return [...new Set(rows.flatMap((row): string[] => (row.returned_at ? [row.server_id] : [])))];
};

type SeenRoles = { platformId: string; roleIds: string[]; nick: string | null };

/**
 * What members who consented have now. Of one who is back and still without their roles it says nothing
 * about what they had.
 */
export const rememberRoles = async (
  tx: Transaction,
  guild: InGuild,
  seen: readonly SeenRoles[],
): Promise<void> => {
  if (seen.length === 0) return;
  const platformIds = seen.map(({ platformId }) => platformId);
  const reported = sql`jsonb_to_recordset(${JSON.stringify(seen)}::text::jsonb)
    as reported("platformId" text, "roleIds" jsonb, nick text)`;
  const isThem = sql`${areThese(platformIds)} and ${members.consentedAt} is not null`;
  await tx.execute(sql`
    insert into ${seenMembers} as seen
      (member_id, account_id, server_id, guild_id, role_ids, nick, roles_seen_at)
    select found.id, found.account_id, found.server_id, ${guild.guildId}::text,
      reported."roleIds", reported.nick, ${now}
    from (
      select ${members.id} as id, ${members.accountId} as account_id,
        ${members.serverId} as server_id, ${members.platformId} as platform_id
      ${membersIn(guild, isThem)}
    ) as found
    join ${reported} on reported."platformId" = found.platform_id
    on conflict (member_id) do update
      set guild_id = excluded.guild_id, role_ids = excluded.role_ids, nick = excluded.nick,
        roles_seen_at = excluded.roles_seen_at
      where seen.left_at is null and seen.returned_at is null`);
};

/** Without consent nothing of this is kept, and nothing is given. */
export const forgetRoles = async (tx: Transaction, of: readonly { id: string }[]) => {
  if (of.length === 0) return;
  await tx
    .update(seenMembers)
    .set({
      ...{ roleIds: null, nick: null, rolesSeenAt: null, returnedAt: null },
      leftAt: sql`case when ${returnedAt} is null then ${seenMembers.leftAt} end`,
    })
    .where(
      inArray(
        memberId,
        of.map(({ id }) => id),
      ),
    );
};

export type ReturnedMember = Awaited<ReturnType<typeof listReturned>>[number];

const ofServer = (owner: Owned) =>
  and(eq(serverId, owner.serverId), eq(accountId, owner.accountId), isNotNull(returnedAt));

/** Those who still are to get what they had, the longest waiting first. */
export const listReturned = (db: Queryable, owner: Owned, most: number) =>
  db
    .select({
      ...{ memberId, guildId, roleIds, nick, platformId: members.platformId },
      returnedAt: sql<Date>`${returnedAt}`.mapWith(returnedAt),
      leftAt: seenMembers.leftAt,
      rolesSeenAt: seenMembers.rolesSeenAt,
    })
    .from(seenMembers)
    .innerJoin(members, eq(members.id, memberId))
    .where(ofServer(owner))
    .orderBy(asc(returnedAt), asc(memberId))
    .limit(most);

type Returned = Owned & Pick<ReturnedMember, 'memberId' | 'returnedAt'>;

const ofReturn = (one: Returned) =>
  and(ofServer(one), eq(memberId, one.memberId), eq(returnedAt, one.returnedAt));

/** Whether the same return still waits, and its member may get something. */
export const isReturnDue = (db: Queryable, one: Returned): Promise<boolean> =>
  hasRows(
    db
      .select({ memberId })
      .from(seenMembers)
      .innerJoin(members, eq(members.id, memberId))
      .where(and(ofReturn(one), isNotNull(members.consentedAt), eq(members.blacklisted, false))),
  );

/** They are there, with what was given; nothing changes where they have left again. */
export const endReturn = async (
  tx: Transaction,
  one: Returned,
  has?: { roleIds: string[]; nick: string | null },
): Promise<void> => {
  await tx
    .update(seenMembers)
    .set({ leftAt: null, returnedAt: null, ...(has && { ...has, rolesSeenAt: now }) })
    .where(ofReturn(one));
};

/** Whoever has waited for so long is not surprised by it any more. */
export const endOldReturns = async (db: Queryable, before: Date): Promise<void> => {
  await db
    .update(seenMembers)
    .set({ leftAt: null, returnedAt: null })
    .where(and(isNotNull(returnedAt), lt(returnedAt, before)));
};

export const endReturnsOfServer = async (db: Queryable, owner: Owned): Promise<void> => {
  await db.update(seenMembers).set({ leftAt: null, returnedAt: null }).where(ofServer(owner));
};

/** Servers where somebody has waited since before that moment. */
export const listServersWithReturns = (db: Queryable, before: Date, most: number) =>
  db
    .selectDistinct({
      ...{ accountId, serverId },
      botId: sql<string>`${servers.customBotId}`,
    })
    .from(seenMembers)
    .innerJoin(servers, eq(servers.id, serverId))
    .where(and(isNotNull(returnedAt), lt(returnedAt, before), isNotNull(servers.customBotId)))
    .limit(most);

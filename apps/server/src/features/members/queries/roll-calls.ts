import { and, eq, gt, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';
import { members, rollCalls, seenMembers } from '../table.ts';
import { asLeft, type InGuild, isUnheardIn, membersIn, tellOpenPages } from './seen.ts';

type Owned = { accountId: string; serverId: string };

const { serverId, accountId, number, endedNumber, wantedAt } = rollCalls;

/** Without this intent the platform lists nobody. Unknown until the bot was connected. */
const mayListMembers = sql`(${bots.intents} is null or ${bots.intents} @> '["GUILD_MEMBERS"]'::jsonb)`;

/** The server of the guild is to have its roll called; undefined where the bot has none there, or may not. */
export const wantRollCall = async (
  tx: Transaction,
  guild: InGuild,
): Promise<string | undefined> => {
  const ifSame = (column: SQL) =>
    sql`case when call.guild_id = excluded.guild_id then ${column} end`;
  const [row] = await tx.execute(sql`
    insert into ${rollCalls} as call (server_id, account_id, bot_id, guild_id, number, wanted_at)
    select ${servers.id}, ${servers.accountId}, ${bots.id}, ${servers.platformGuildId}, 1,
      clock_timestamp()
    from ${servers} join ${bots} on ${bots.id} = ${servers.customBotId}
    where ${servers.accountId} = ${guild.accountId} and ${bots.accountId} = ${guild.accountId}
      and ${servers.customBotId} = ${guild.botId} and ${servers.platformGuildId} = ${guild.guildId}
      and ${servers.deletedAt} is null and ${mayListMembers}
    on conflict (server_id) do update
      set bot_id = excluded.bot_id, guild_id = excluded.guild_id, number = call.number + 1,
        wanted_at = excluded.wanted_at,
        running_number = ${ifSame(sql`call.running_number`)},
        running_since = ${ifSame(sql`call.running_since`)},
        after_id = ${ifSame(sql`call.after_id`)},
        completed_since = ${ifSame(sql`call.completed_since`)}
    returning server_id`);
  return row?.server_id;
};

/** One that is under way: its number, when it was wanted, and after whom its next page begins. */
export type RollCall = {
  number: number;
  since: Date;
  afterId: string;
  guildId: string;
};

const ofServer = (owner: Owned) =>
  and(eq(serverId, owner.serverId), eq(accountId, owner.accountId));

/** Begins the one that is wanted, or goes on with the one under way; undefined where there is neither. */
export const beginRollCall = async (
  tx: Transaction,
  owner: Owned & { botId: string },
): Promise<RollCall | undefined> => {
  const call = await firstRow(
    tx.select().from(rollCalls).where(ofServer(owner)).for('no key update'),
  );
  const isOfServer = await isGuildOfServer(tx, owner, call?.guildId ?? '');
  if (!call || !isOfServer) return undefined;
  const { runningNumber, runningSince, afterId, guildId } = call;
  if (runningNumber !== null && runningSince !== null && afterId !== null) {
    return { number: runningNumber, since: runningSince, afterId, guildId };
  }
  if (call.number <= call.endedNumber) return undefined;
  const begun = { runningNumber: call.number, runningSince: call.wantedAt, afterId: '0' };
  await tx.update(rollCalls).set(begun).where(ofServer(owner));
  return { number: call.number, since: call.wantedAt, afterId: '0', guildId };
};

const isGuildOfServer = (
  tx: Transaction,
  owner: Owned & { botId: string },
  guildId: string,
): Promise<boolean> =>
  hasRows(
    tx
      .select({ id: servers.id })
      .from(servers)
      .where(
        and(
          eq(servers.id, owner.serverId),
          eq(servers.accountId, owner.accountId),
          eq(servers.customBotId, owner.botId),
          eq(servers.platformGuildId, guildId),
          isNull(servers.deletedAt),
        ),
      ),
  );

/** False where it is no longer the one under way, or has come further. */
export const lockRollCall = (tx: Transaction, owner: Owned, call: RollCall): Promise<boolean> =>
  hasRows(
    tx
      .select({ serverId })
      .from(rollCalls)
      .where(
        and(
          ofServer(owner),
          eq(rollCalls.guildId, call.guildId),
          eq(rollCalls.runningNumber, call.number),
          eq(rollCalls.afterId, call.afterId),
        ),
      )
      .for('no key update'),
  );

export const continueRollCall = async (
  tx: Transaction,
  owner: Owned,
  afterId: string,
): Promise<void> => {
  await tx.update(rollCalls).set({ afterId }).where(ofServer(owner));
};

/** `isComplete`: everybody was listed. Else a bot cannot list them; its next session wants another one. */
export const endRollCall = async (
  tx: Transaction,
  owner: Owned,
  call: RollCall,
  { isComplete }: { isComplete: boolean },
): Promise<void> => {
  await tx
    .update(rollCalls)
    .set({
      ...{ runningNumber: null, runningSince: null, afterId: null },
      ...(isComplete
        ? { endedNumber: call.number, completedSince: call.since }
        : { endedNumber: number }),
    })
    .where(ofServer(owner));
};

export type KnownMember = Awaited<ReturnType<typeof listKnownMembers>>[number];

/** What is known of the members among these people. */
export const listKnownMembers = (tx: Transaction, guild: InGuild, platformIds: readonly string[]) =>
  tx
    .select({
      ...{ platformId: members.platformId, verifiedAt: members.verifiedAt },
      ...{ consentedAt: members.consentedAt, leftAt: seenMembers.leftAt },
      ...{ returnedAt: seenMembers.returnedAt, joinedAt: seenMembers.joinedAt },
      heardIn: sql<number>`coalesce(${seenMembers.heardIn}, 0)`,
      number: sql<number>`coalesce(${number}, 0)`,
      completedSince: sql<Date | null>`case when ${rollCalls.guildId} = ${guild.guildId}
        then ${rollCalls.completedSince} end`.mapWith(rollCalls.completedSince),
    })
    .from(members)
    .innerJoin(servers, eq(servers.id, members.serverId))
    .leftJoin(
      seenMembers,
      and(eq(seenMembers.memberId, members.id), eq(seenMembers.guildId, guild.guildId)),
    )
    .leftJoin(rollCalls, eq(serverId, servers.id))
    .where(
      and(
        eq(members.accountId, guild.accountId),
        eq(servers.accountId, guild.accountId),
        eq(servers.customBotId, guild.botId),
        eq(servers.platformGuildId, guild.guildId),
        isNull(servers.deletedAt),
        inArray(members.platformId, [...platformIds]),
      ),
    );

const absentAtATime = 1000;

/**
 * Members whom a page should have, and has not, are shown as left; true where there may be more of them.
 * Whoever was verified for another guild, and was never seen in this one, has not left it.
 */
export const markAbsent = async (
  tx: Transaction,
  guild: InGuild & Owned,
  call: RollCall,
  page: { listed: readonly string[]; lastId: string | undefined },
): Promise<boolean> => {
  const rows = await tx.execute(sql`
    insert into ${seenMembers} as seen (member_id, account_id, server_id, guild_id, left_at)
    select found.* from (
      select ${members.id}, ${members.accountId}, ${members.serverId}, ${guild.guildId}::text,
        clock_timestamp()
      ${membersIn(guild, isMissing(guild, call, page))}
      limit ${absentAtATime}
    ) as found
    on conflict (member_id) do update set ${asLeft} where ${isUnheardIn(call)}
    returning server_id`);
  tellOpenPages(tx, guild, rows);
  return rows.length > 0;
};

const isMissing = (
  guild: InGuild & Owned,
  call: RollCall,
  { listed, lastId }: { listed: readonly string[]; lastId: string | undefined },
): SQL => {
  const known = sql`select 1 from ${seenMembers} as known where known.member_id = ${members.id}`;
  const isThere = sql`known.guild_id = ${guild.guildId}
    and (known.left_at is null or known.returned_at is not null)`;
  return sql`${members.serverId} = ${guild.serverId} and ${isBetween(call.afterId, lastId)}
    and ${members.verifiedAt} < ${call.since.toISOString()}::timestamptz
    and ${members.platformId} <> all (
      select jsonb_array_elements_text(${JSON.stringify(listed)}::text::jsonb))
    and (exists (${known} and ${isThere} and known.heard_in < ${call.number})
      or ${members.verifiedAt} >= coalesce(${servers.guildSince}, '-infinity')
        and not exists (${known} and known.guild_id = ${guild.guildId}))`;
};

/** In the order of the platform's ids, which are numbers. Of equal length, they are in that of the index. */
const isBetween = (afterId: string, lastId: string | undefined): SQL => {
  const id = members.platformId;
  const compare = (sign: SQL, than: string) => sql`(length(${id}) ${sign} ${than.length}
    or length(${id}) = ${than.length} and ${id} ${sign} ${than})`;
  if (lastId === undefined) return compare(sql`>`, afterId);
  if (lastId.length !== afterId.length) {
    return sql`${compare(sql`>`, afterId)} and not ${compare(sql`>`, lastId)}`;
  }
  return sql`length(${id}) = ${lastId.length} and ${id} > ${afterId} and ${id} <= ${lastId}`;
};

/** Those that have waited since before that moment. */
export const listWaitingRollCalls = (db: Queryable, before: Date, most: number) =>
  db
    .select({ serverId, accountId, botId: rollCalls.botId })
    .from(rollCalls)
    .where(and(lt(endedNumber, number), lt(wantedAt, before)))
    .orderBy(wantedAt)
    .limit(most);

/**
 * Some servers with a bot, in the order of their ids. `needsRollCall`: the bot was given the server, or the
 * server its guild, when the bot's session had begun.
 */
export const listServersForRollCall = (
  db: Queryable,
  before: Date,
  { after, most }: { after: string; most: number },
) =>
  db
    .select({
      serverId: servers.id,
      ...{ accountId: servers.accountId, botId: bots.id, guildId: servers.platformGuildId },
      needsRollCall: sql<boolean>`coalesce(${lt(bots.connectedAt, before)}, false)
        and ${mayListMembers}
        and (${rollCalls.guildId} is distinct from ${servers.platformGuildId}
          or ${rollCalls.botId} is distinct from ${bots.id})`,
    })
    .from(servers)
    .innerJoin(bots, eq(bots.id, servers.customBotId))
    // Twice `after`: else a merge join would read the other table from its beginning.
    .leftJoin(rollCalls, and(eq(serverId, servers.id), gt(serverId, after)))
    .where(and(isNull(servers.deletedAt), gt(servers.id, after)))
    .orderBy(servers.id)
    .limit(most);

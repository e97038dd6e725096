import { and, asc, desc, eq, gte, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../../db/connect.ts';
import { purgeByPlace } from '../../../../db/queries/purge-rows.ts';
import { members } from '../../../members/table.ts';
import { servers } from '../../../servers/table.ts';
import { incidents, protectionSettings } from '../../table.ts';
import { raidNewcomers, raidWaves } from '../table.ts';

type Bot = { botId: string; accountId: string };
type Owned = { accountId: string; serverId: string };

const { accountId, serverId, platformId, incidentId, joinedAt, isYoung } = raidNewcomers;

const ofServer = (owner: Owned) =>
  and(eq(serverId, owner.serverId), eq(accountId, owner.accountId));

/** Of these guilds those whose server has anti-raid on, with the wave that is live there. */
export const listGuardedGuilds = (tx: Transaction, bot: Bot, guildIds: string[]) =>
  tx
    .select({
      serverId: servers.id,
      accountId: servers.accountId,
      guildId: servers.platformGuildId,
      raid: protectionSettings.raid,
      trusted: protectionSettings.trusted,
      incidentId: raidWaves.incidentId,
      minAccountAgeDays: raidWaves.minAccountAgeDays,
      decision: raidWaves.decision,
    })
    .from(servers)
    .leftJoin(protectionSettings, eq(protectionSettings.serverId, servers.id))
    .leftJoin(
      raidWaves,
      and(
        eq(raidWaves.serverId, servers.id),
        eq(raidWaves.guildId, servers.platformGuildId),
        isNull(raidWaves.overAt),
      ),
    )
    .where(
      and(
        eq(servers.accountId, bot.accountId),
        eq(servers.customBotId, bot.botId),
        inArray(servers.platformGuildId, guildIds),
        eq(servers.antiRaidEnabled, true),
        isNull(servers.deletedAt),
      ),
    )
    .orderBy(asc(servers.id));

export type GuardedGuild = Awaited<ReturnType<typeof listGuardedGuilds>>[number];

/**
 * Whoever has verified for a server of the account, and so everybody whom its pulls, recalls and rejoins
 * can bring. People on the blacklist are strangers.
 */
export const listVerifiedBefore = async (
  tx: Transaction,
  ofAccountId: string,
  platformIds: string[],
): Promise<Set<string>> => {
  const rows = await tx
    .selectDistinct({ platformId: members.platformId })
    .from(members)
    .where(
      and(
        eq(members.accountId, ofAccountId),
        inArray(members.platformId, platformIds),
        eq(members.blacklisted, false),
      ),
    );
  return new Set(rows.map((row) => row.platformId));
};

export type NewNewcomer = Omit<
  typeof raidNewcomers.$inferInsert,
  'serverId' | 'accountId' | 'incidentId'
>;

/** Somebody who joins again counts once; one who waits for a decision stays where they wait. */
export const putNewcomers = async (
  tx: Transaction,
  owner: Owned & { incidentId: string | null },
  newcomers: readonly NewNewcomer[],
): Promise<void> => {
  if (newcomers.length === 0) return;
  const given = (column: string) => sql.raw(`excluded.${column}`);
  await tx
    .insert(raidNewcomers)
    .values(
      newcomers.map((newcomer) => ({
        ...newcomer,
        ...{ serverId: owner.serverId, accountId: owner.accountId, incidentId: owner.incidentId },
      })),
    )
    .onConflictDoUpdate({
      target: [serverId, platformId],
      set: {
        ...{ incidentId: given('incident_id'), username: given('username') },
        ...{ joinedAt: given('joined_at'), isYoung: given('is_young') },
        ...{ hasPicture: given('has_picture'), nameKey: given('name_key') },
        ...{ isAlike: given('is_alike'), score: given('score') },
        ...{ status: given('status'), code: null },
      },
      setWhere: sql`${raidNewcomers.status} not in ('held', 'removing')`,
    });
};

/** When young accounts joined that belong to no wave, in order; only the newest of them. */
export const listYoungJoins = async (
  tx: Transaction,
  owner: Owned,
  most: number,
): Promise<number[]> => {
  const rows = await tx
    .select({ joinedAt })
    .from(raidNewcomers)
    .where(and(ofServer(owner), isNull(incidentId), eq(isYoung, true)))
    .orderBy(desc(joinedAt))
    .limit(most);
  return rows.map((row) => row.joinedAt.getTime()).reverse();
};

/** Everybody who has joined since, old and young, becomes part of the wave. */
export const joinWave = async (
  tx: Transaction,
  owner: Owned & { incidentId: string },
  since: Date,
): Promise<{ nameKey: string; isYoung: boolean; joinedAt: Date }[]> =>
  tx
    .update(raidNewcomers)
    .set({ incidentId: owner.incidentId })
    .where(and(ofServer(owner), isNull(incidentId), gte(joinedAt, since)))
    .returning({ nameKey: raidNewcomers.nameKey, isYoung, joinedAt });

/** Of these people those who are part of the wave already. */
export const listKnownOfWave = async (
  tx: Transaction,
  wave: Owned & { incidentId: string },
  platformIds: string[],
): Promise<Set<string>> => {
  const rows = await tx
    .select({ platformId })
    .from(raidNewcomers)
    .where(and(ofServer(wave), eq(incidentId, wave.incidentId), inArray(platformId, platformIds)));
  return new Set(rows.map((row) => row.platformId));
};

export const forgetJoinsOf = async (tx: Transaction, owner: Owned, before: Date): Promise<void> => {
  await tx
    .delete(raidNewcomers)
    .where(and(ofServer(owner), isNull(incidentId), lt(joinedAt, before)));
};

/** Of servers to which nobody has come since; returns how many. */
export const forgetJoins = async (db: Queryable, before: Date, limit: number): Promise<number> => {
  const isOld = and(isNull(incidentId), lt(joinedAt, before));
  const some = sql`array(select ctid from ${raidNewcomers} where ${isOld} limit ${limit})`;
  const deleted = await db
    .delete(raidNewcomers)
    .where(and(isOld, sql`${raidNewcomers}.ctid = any(${some})`))
    .returning({ serverId });
  return deleted.length;
};

/**
 * Those of waves whose incident ended before; returns how many. The waves that have any are found one after
 * the other by an index: nothing is read of those that were forgotten long ago, nor of each newcomer.
 */
export const forgetNewcomers = async (
  db: Queryable,
  endedBefore: Date,
  limit: number,
): Promise<number> => {
  const old = sql`array(
    with recursive waves (id) as (
      (select incident_id from ${raidNewcomers} where incident_id is not null
        order by incident_id limit 1)
      union all
      select (select one.incident_id from ${raidNewcomers} as one where one.incident_id > waves.id
        order by one.incident_id limit 1)
      from waves where waves.id is not null
    )
    select newcomer.ctid from waves
    cross join lateral (select 1 from ${incidents} where id = waves.id and kind = 'RAID'
      and ended_at < ${endedBefore.toISOString()}::timestamptz) as ended
    cross join lateral (select one.ctid from ${raidNewcomers} as one where one.incident_id = waves.id
      order by one.status, one.platform_id limit ${limit}) as newcomer
    limit ${limit})`;
  const deleted = await db
    .delete(raidNewcomers)
    .where(sql`${raidNewcomers}.ctid = any(${old})`)
    .returning({ serverId });
  return deleted.length;
};

export const purgeNewcomers = purgeByPlace(raidNewcomers);

import { and, eq, gt, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';
import {
  armedExecutors,
  incidentExecutors,
  incidents,
  protectionSettings,
  watchedGuilds,
} from '../table.ts';
import { mergedIds } from './merged-ids.ts';
import { takesInForHours } from './of-incident.ts';

type Owned = { accountId: string; serverId: string };
export type InGuild = { accountId: string; botId: string; guildId: string };

/** Of another bot that the server had before it says nothing. */
const ofPresentBot = <Value>(column: PgColumn) =>
  sql<Value | null>`case when ${watchedGuilds.botId} = ${servers.customBotId} then ${column} end`;

/**
 * The bots of other servers for the same guild, each by the user that its token is known to be. What is the
 * same since yesterday proves something: whoever has stolen a bot's token could make a record at any moment,
 * or give an old one this guild, bot, token or client id, and have a restore destroy the guild.
 */
const otherBots = sql<{ serverId: string; accountId: string; botUserId: string }[]>`coalesce((
  select jsonb_agg(jsonb_build_object('serverId', other.id, 'accountId', other.account_id,
    'botUserId', bot.user_id))
  from servers other
  join bots bot on bot.id = other.custom_bot_id
  where other.platform_guild_id = ${servers.platformGuildId} and other.id <> ${servers.id}
    and other.deleted_at is null and bot.user_id is not null
    and greatest(other.created_at, other.guild_since, other.bot_since, bot.identity_since)
      < now() - interval '1 day'
), '[]'::jsonb)`;

const guardedFields = {
  serverId: servers.id,
  accountId: servers.accountId,
  botId: bots.id,
  guildId: servers.platformGuildId,
  antiNukeEnabled: servers.antiNukeEnabled,
  antiRaidEnabled: servers.antiRaidEnabled,
  clientId: bots.clientId,
  intents: bots.intents,
  otherBots,
  thresholds: protectionSettings.thresholds,
  trusted: protectionSettings.trusted,
  ownerId: watchedGuilds.ownerId,
  botUserId: ofPresentBot<string>(watchedGuilds.botUserId),
  botRoleIds: ofPresentBot<string[]>(watchedGuilds.botRoleIds),
  limits: watchedGuilds.limits,
  roles: watchedGuilds.roles,
  lastEntryId: watchedGuilds.lastEntryId,
};

/** What was known of another guild says nothing of the one that the server has now. */
const ofPresentGuild = and(
  eq(watchedGuilds.serverId, servers.id),
  eq(watchedGuilds.guildId, servers.platformGuildId),
);

/** Against attackers or against raids. */
const isProtected = or(servers.antiNukeEnabled, servers.antiRaidEnabled);

/** The server that a bot protects in any way in a guild. */
export const findProtected = (db: Queryable, { accountId, botId, guildId }: InGuild) =>
  firstRow(
    db
      .select(guardedFields)
      .from(servers)
      .innerJoin(bots, eq(bots.id, servers.customBotId))
      .leftJoin(protectionSettings, eq(protectionSettings.serverId, servers.id))
      .leftJoin(watchedGuilds, ofPresentGuild)
      .where(
        and(
          eq(servers.accountId, accountId),
          eq(servers.customBotId, botId),
          eq(servers.platformGuildId, guildId),
          isProtected,
          isNull(servers.deletedAt),
        ),
      ),
  );

/** The server whose bot watches what people do in a guild; undefined where none does. */
export const findGuarded = async (
  db: Queryable,
  inGuild: InGuild,
): Promise<GuardedRow | undefined> => {
  const row = await findProtected(db, inGuild);
  return row?.antiNukeEnabled ? row : undefined;
};

/** All servers that are protected, in the order of their ids. */
export const listProtected = (db: Queryable, { after, most }: { after: string; most: number }) =>
  db
    .select({
      serverId: servers.id,
      accountId: servers.accountId,
      botId: sql<string>`${servers.customBotId}`,
      guildId: servers.platformGuildId,
      afterEntryId: watchedGuilds.lastEntryId,
    })
    .from(servers)
    .innerJoin(bots, and(eq(bots.id, servers.customBotId), bots.isActive))
    .leftJoin(watchedGuilds, ofPresentGuild)
    .where(and(isProtected, isNull(servers.deletedAt), gt(servers.id, after)))
    .orderBy(servers.id)
    .limit(most);

/** The servers that a bot protects in any way, with what was last heard of each. */
export const listProtectedOfBot = (
  db: Queryable,
  { accountId, botId }: { accountId: string; botId: string },
) =>
  db
    .select({
      serverId: servers.id,
      guildId: servers.platformGuildId,
      lastEntryId: watchedGuilds.lastEntryId,
    })
    .from(servers)
    .leftJoin(watchedGuilds, ofPresentGuild)
    .where(
      and(
        eq(servers.accountId, accountId),
        eq(servers.customBotId, botId),
        isProtected,
        isNull(servers.deletedAt),
      ),
    );

export type GuardedRow = NonNullable<Awaited<ReturnType<typeof findProtected>>>;

type WatchedFacts = Partial<
  Omit<typeof watchedGuilds.$inferSelect, 'serverId' | 'accountId' | 'guildId'>
>;

/** What is not named stays as it is; of another guild that the server had before, nothing does. */
export const storeWatched = async (
  tx: Transaction,
  { serverId, accountId, guildId }: Owned & { guildId: string },
  facts: WatchedFacts,
): Promise<void> => {
  await tx
    .delete(watchedGuilds)
    .where(and(eq(watchedGuilds.serverId, serverId), ne(watchedGuilds.guildId, guildId)));
  await tx
    .insert(watchedGuilds)
    .values({ serverId, accountId, guildId, ...facts })
    .onConflictDoUpdate({ target: watchedGuilds.serverId, set: facts });
};

/** Nobody else changes what is known of a server's guild until the transaction ends. */
export const lockWatched = async (
  tx: Transaction,
  { accountId, serverId }: Owned,
): Promise<void> => {
  await tx
    .select({ serverId: watchedGuilds.serverId })
    .from(watchedGuilds)
    .where(and(eq(watchedGuilds.serverId, serverId), eq(watchedGuilds.accountId, accountId)))
    .for('update');
};

/** What was heard before anti-nuke was switched off: nobody has followed it since. */
export const forgetWatched = async (
  tx: Transaction,
  { accountId, serverId }: Owned,
): Promise<void> => {
  await tx
    .update(watchedGuilds)
    .set({ ownerId: null, roles: null, lastEntryId: null })
    .where(and(eq(watchedGuilds.serverId, serverId), eq(watchedGuilds.accountId, accountId)));
};

const hourMs = 60 * 60 * 1000;
/** For so long after it was contained, an attack that goes on is the same incident. */
const sameIncidentMs = hourMs;

/** Incidents of a guild that new acts can become part of. */
export const isLive = (guildId: string, now: Date) =>
  and(
    eq(incidents.kind, 'NUKE'),
    eq(incidents.guildId, guildId),
    isNull(incidents.endedAt),
    gt(incidents.detectedAt, new Date(now.getTime() - takesInForHours * hourMs)),
    or(
      eq(incidents.status, 'open'),
      and(
        eq(incidents.status, 'contained'),
        gt(incidents.containedAt, new Date(now.getTime() - sameIncidentMs)),
      ),
    ),
  );

/** Those who were stopped, or should have been: whatever they do next counts at once. */
export const listLiveExecutors = (
  db: Queryable,
  { accountId, guildId }: { accountId: string; guildId: string },
  now: Date,
) =>
  db
    .select({
      platformId: incidentExecutors.platformId,
      status: incidentExecutors.status,
      code: incidentExecutors.code,
      stoppedAt: incidentExecutors.stoppedAt,
      actsFrom: incidentExecutors.actsFrom,
    })
    .from(incidentExecutors)
    .innerJoin(incidents, eq(incidents.id, incidentExecutors.incidentId))
    .where(
      and(
        eq(incidents.accountId, accountId),
        isLive(guildId, now),
        isNull(incidentExecutors.returnStatus),
      ),
    );

/** What somebody had, and what of it would be taken, when they were last seen with it. */
export type ArmedRoles = { rolesBefore: readonly string[]; rolesToTake: readonly string[] };

/** Together with what was stored right before: by now some of it may have been taken. Returns both. */
export const storeArmed = async (
  db: Queryable,
  row: Omit<typeof armedExecutors.$inferInsert, 'armedAt'>,
): Promise<ArmedRoles> => {
  const { serverId, platformId, rolesBefore, rolesToTake, armedAt } = armedExecutors;
  const isRecent = sql`${armedAt} > now() - interval '2 minutes'`;
  const withRecent = (column: PgColumn, name: string) =>
    sql`case when ${isRecent} then ${mergedIds(column, name)} else ${sql.raw(`excluded.${name}`)} end`;
  const stored = await firstRow(
    db
      .insert(armedExecutors)
      .values(row)
      .onConflictDoUpdate({
        target: [serverId, platformId],
        set: {
          rolesBefore: withRecent(rolesBefore, 'roles_before'),
          rolesToTake: withRecent(rolesToTake, 'roles_to_take'),
          armedAt: sql`now()`,
        },
      })
      .returning({ rolesBefore, rolesToTake }),
  );
  return stored ?? row;
};

/** What somebody had within the last minutes, before they may have been stopped in a hurry. */
export const findArmed = (db: Queryable, owner: Owned, platformId: string, since: Date) =>
  firstRow(
    db
      .select({
        username: armedExecutors.username,
        isBot: armedExecutors.isBot,
        rolesBefore: armedExecutors.rolesBefore,
        rolesToTake: armedExecutors.rolesToTake,
      })
      .from(armedExecutors)
      .where(
        and(
          eq(armedExecutors.serverId, owner.serverId),
          eq(armedExecutors.accountId, owner.accountId),
          eq(armedExecutors.platformId, platformId),
          gt(armedExecutors.armedAt, since),
        ),
      ),
  );

const deletedAtOnce = 5000;

export const deleteOldArmed = async (db: Queryable, before: Date): Promise<void> => {
  const { serverId, platformId, armedAt } = armedExecutors;
  const old = db
    .select({ serverId, platformId })
    .from(armedExecutors)
    .where(lt(armedAt, before))
    .limit(deletedAtOnce);
  await db.delete(armedExecutors).where(inArray(sql`(${serverId}, ${platformId})`, old));
};

import type { Database, Transaction } from '../../../db/connect.ts';
import type { Log } from '../../../kernel/log.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import { type BotMember, readBotMember } from '../../../platform/permissions.ts';
import type { BotPlatform, Guild, GuildPlatform } from '../../../platform/port.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { lockServer } from '../../servers/queries.ts';
import { listActsOfUnknownRoles, setActKind } from '../queries/acts.ts';
import { findGuarded, findProtected, lockWatched, storeWatched } from '../queries/watched.ts';
import { type Limit, limitsInGuild } from '../settings/cannot-stop.ts';
import { noteLimits } from '../settings/note-limits.ts';
import { changesOfAct, givenRoleIds, isSelfGiven, kindOfGivenRoles } from './classify.ts';
import { newestOf } from './follow-acts.ts';
import { type GuardedServer, guardedServerOf, surroundingsOf } from './guarded-server.ts';
import { type IngestDependencies, ingestEntries, judgeActs, judgeHeldBack } from './ingest.ts';
import { type LookAt, lookLater } from './look-job.ts';
import { judgeSelfGivenLater } from './self-given/self-given-job.ts';

export type LookDependencies = BotDependencies & IngestDependencies & { log: Log };

const pageSize = 100;
const mostPages = 20;

/**
 * Reads what events alone do not tell: a guild's owner and roles where they were never heard, and what
 * happened in it while the bot was not connected. What was missed is judged as if it had been heard.
 */
export const lookAt = async (
  dependencies: LookDependencies,
  given: LookAt,
  signal: AbortSignal,
): Promise<void> => {
  const { db, log } = dependencies;
  const server = await findProtected(db, given);
  if (!server) return;
  try {
    await useBot(dependencies, given, async (bot) => {
      const read = await readGuild(bot, given.guildId, signal).catch(async (error) => {
        if (isOutside(error)) await noteOutside(dependencies, given);
        throw error;
      });
      await storeGuild(dependencies, given, { ...read, ownerIdBefore: server.ownerId });
      if (!server.antiNukeEnabled) return;
      const calls = bot.guild(given.guildId, { signal });
      await readMissed(dependencies, given, calls);
    });
  } catch (error) {
    if (!isHopeless(error)) throw error;
    log.info({ err: error, serverId: given.serverId }, 'a watched guild cannot be read');
    // Not asked for again before the next session tells them.
    await db.transaction(async (tx) => {
      const row = await findGuarded(tx, given);
      if (!row || row.roles !== null) return;
      await storeWatched(tx, row, { roles: {} });
      await judgeHeldBack(dependencies, tx, guardedServerOf({ ...row, roles: {} }));
    });
  }
};

/** As long as nobody changes something, it would fail again. */
export const isHopeless = (error: unknown): boolean =>
  error instanceof BotUnusable ||
  (error instanceof PlatformFailure &&
    ['missingPermission', 'botTokenDead', ...outside].includes(error.kind));

const outside = ['noAccess', 'unknownGuild', 'unknownMember'];

const isOutside = (error: unknown): boolean =>
  error instanceof PlatformFailure && outside.includes(error.kind);

const noteOutside = (dependencies: LookDependencies, given: LookAt): Promise<void> =>
  dependencies.db.transaction((tx) => noteLimits(tx, dependencies, given, [notInGuild]));

const notInGuild: Limit = {
  code: 'NOT_IN_GUILD',
  detail:
    'The bot is not in the server any more, so nothing is noticed there. Invite it again, or move to another server.',
  isForRaids: true,
};

type ReadGuild = { guild: Guild; bot: BotMember };

const readGuild = async (
  bot: BotPlatform,
  guildId: string,
  signal: AbortSignal,
): Promise<ReadGuild> => {
  const [guild, member] = await Promise.all([
    bot.guild(guildId, { signal }).read(),
    readBotMember(bot, guildId, { signal }),
  ]);
  return { guild, bot: member };
};

const storeGuild = (
  dependencies: LookDependencies,
  given: LookAt,
  { guild, bot, ownerIdBefore }: ReadGuild & { ownerIdBefore: string | null },
): Promise<void> =>
  dependencies.db.transaction(async (tx) => {
    // Before anything that is stored of the guild, in the order in which its events lock them.
    await lockServer(tx, given);
    await lockWatched(tx, given);
    const row = await findProtected(tx, given);
    if (!row) return;
    if (!row.antiNukeEnabled) return storeBot(dependencies, tx, given, { guild, bot });
    // What was heard is newer than what was read: roles ever since, an owner since the reading began.
    const roles =
      row.roles ?? Object.fromEntries(guild.roles.map((one) => [one.id, one.permissions]));
    const isOwnerHeard = row.ownerId !== null && row.ownerId !== ownerIdBefore;
    const ownerId = isOwnerHeard ? row.ownerId : guild.ownerId;
    const read = { ownerId, botUserId: bot.userId, botRoleIds: bot.roleIds, roles };
    await storeWatched(tx, row, { ownerId, roles });
    await storeBot(dependencies, tx, given, { guild, bot });
    const server = guardedServerOf({ ...row, ...read });
    await judgeUnknownRoles(dependencies, tx, server);
    if (guardedServerOf(row).guard.awaitsOwner) await judgeHeldBack(dependencies, tx, server);
  });

/** What the bot is and cannot do. Without anti-nuke nothing else of the guild is followed. */
const storeBot = async (
  dependencies: LookDependencies,
  tx: Transaction,
  given: LookAt,
  { guild: { ownerId, roles }, bot }: ReadGuild,
): Promise<void> => {
  const { botId, guildId } = given;
  await storeWatched(tx, given, { botId, botUserId: bot.userId, botRoleIds: bot.roleIds });
  const inGuild = { guildId, ownerId, roles };
  const limits = limitsInGuild(inGuild, bot, dependencies.clock.now());
  await noteLimits(tx, dependencies, given, limits);
};

/** Whether roles that were given are dangerous, now that they are known. */
const judgeUnknownRoles = async (
  dependencies: LookDependencies,
  tx: Transaction,
  server: GuardedServer,
): Promise<void> => {
  const acts = await listActsOfUnknownRoles(tx, server);
  const known = surroundingsOf(server);
  const judged = acts.map((act) => {
    const kind = kindOfGivenRoles(givenRoleIds({ changes: changesOfAct(act) }), known);
    // A role that is gone by now gives nobody anything.
    if (kind !== 'dangerousGrants') return { ...act, kind: 'other' as const };
    return { ...act, kind: isSelfGiven(act) ? ('selfGiven' as const) : kind };
  });
  for (const act of judged) await setActKind(tx, server, act);
  if (judged.some(({ kind }) => kind === 'selfGiven')) {
    await judgeSelfGivenLater(dependencies.queue, tx, { ...server, settledId: null });
  }
  await judgeActs(
    dependencies,
    tx,
    server,
    judged.map(({ executorId, kind, at }) => ({ executorId, kind, atMs: at.getTime() })),
  );
};

/** Where nothing was heard before, what lies in the past is nobody's attack. */
export const readMissed = async (
  dependencies: IngestDependencies & { db: Database },
  given: LookAt,
  calls: GuildPlatform,
): Promise<void> => {
  if (given.afterEntryId === null) {
    const newest = await calls.readAuditLog({ limit: 1 });
    return storeEntries(dependencies, given, newest, { areJudged: false });
  }
  let after = given.afterEntryId;
  for (let page = 0; page < mostPages; page++) {
    const entries = await calls.readAuditLog({ after, limit: pageSize });
    await storeEntries(dependencies, given, entries, { areJudged: true });
    after = entries.at(-1)?.entryId ?? after;
    if (entries.length < pageSize) return;
  }
  // What is heard meanwhile is newer: nobody else would read the rest.
  await dependencies.db.transaction((tx) =>
    lookLater(dependencies.queue, tx, { ...given, afterEntryId: after }),
  );
};

const storeEntries = (
  dependencies: IngestDependencies & { db: Database },
  given: LookAt,
  entries: readonly AuditLogEntry[],
  { areJudged }: { areJudged: boolean },
): Promise<void> =>
  dependencies.db.transaction(async (tx) => {
    const row = await findGuarded(tx, given);
    if (!row || entries.length === 0) return;
    // What was heard meanwhile is where the next look begins: nothing between is skipped.
    if (!areJudged && row.lastEntryId !== null) return;
    const lastEntryId = newestOf([...entries.map(({ entryId }) => entryId), row.lastEntryId]);
    if (lastEntryId !== row.lastEntryId) await storeWatched(tx, row, { lastEntryId });
    if (areJudged) await ingestEntries(dependencies, tx, guardedServerOf(row), entries);
  });

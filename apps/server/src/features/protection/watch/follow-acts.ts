import type { Transaction } from '../../../db/connect.ts';
import type { AuditLogEntry, GuildEvent } from '../../../platform/gateway/events.ts';
import { lockServer } from '../../servers/queries.ts';
import { insertMoves } from '../queries/moves.ts';
import { findProtected, type InGuild, storeWatched } from '../queries/watched.ts';
import { type GuardedServer, guardedServerOf, touchesBot, withEvent } from './guarded-server.ts';
import { type IngestDependencies, ingestEntries, judgeHeldBack } from './ingest.ts';
import { lookLater } from './look-job.ts';
import { retryStops } from './retry-stops.ts';
import { noteLosses } from './unexplained/note-losses.ts';

type Bot = { botId: string; accountId: string };

/** What tells of a guild's owner, its roles, its end, of what somebody did in it, or of moves. */
const heeded: ReadonlySet<GuildEvent['kind']> = new Set([
  ...(['auditEntry', 'guildAvailable', 'guildChanged', 'guildGone'] as const),
  ...(['roleCreated', 'roleChanged', 'roleDeleted', 'channelChanged'] as const),
  'channelDeleted',
]);

/** Of members only bots, among which is our own. */
const isHeeded = (event: GuildEvent): boolean =>
  heeded.has(event.kind) || (event.kind === 'memberChanged' && event.isBot);

/**
 * Stores and judges what happens in watched guilds, in the transaction of the events: whatever the
 * process forgot or did not live to do as they arrived, is done here or follows from what is stored.
 */
export const followActs =
  (dependencies: IngestDependencies) =>
  async (tx: Transaction, bot: Bot, events: readonly GuildEvent[]): Promise<void> => {
    const counted = events.filter(isHeeded);
    const guildIds = new Set(counted.flatMap((event) => ('guildId' in event ? event.guildId : [])));
    // In one order, so that two processes cannot wait for each other.
    for (const guildId of [...guildIds].sort()) {
      const row = await findOrAwait(tx, { ...bot, guildId });
      if (!row) continue;
      const own = counted.filter((event) => 'guildId' in event && event.guildId === guildId);
      const server = guardedServerOf(row);
      if (row.antiNukeEnabled) await followGuild(dependencies, tx, server, own);
      else await followBot(dependencies, tx, server, own);
    }
    await retryStops(dependencies.queue, tx, bot, events);
  };

/**
 * As long as nobody knows the owner, a look at the guild is due, which judges what was stored until then:
 * so what is stored now is either seen by it or comes after it.
 */
const findOrAwait = async (tx: Transaction, inGuild: InGuild) => {
  const row = await findProtected(tx, inGuild);
  if (!row?.antiNukeEnabled || !guardedServerOf(row).guard.awaitsOwner) return row;
  await lockServer(tx, row);
  return findProtected(tx, inGuild);
};

/** Of a server without anti-nuke: whether its bot can still notice and answer raids. */
const followBot = async (
  { queue }: IngestDependencies,
  tx: Transaction,
  before: GuardedServer,
  events: readonly GuildEvent[],
): Promise<void> => {
  const { botRoleIds } = events.reduce<GuardedServer>(withEvent, before);
  if (botRoleIds !== before.botRoleIds) {
    await storeWatched(tx, before, { botRoleIds: [...botRoleIds] });
  }
  if (events.some((event) => isLookedFor(before, event))) {
    await lookLater(queue, tx, { ...before, afterEntryId: before.lastEntryId });
  }
};

/** What happened while nobody listened is told by no event. */
const isLookedFor = (server: GuardedServer, event: GuildEvent): boolean =>
  event.kind === 'guildAvailable' || touchesBot(server, event);

const followGuild = async (
  dependencies: IngestDependencies,
  tx: Transaction,
  before: GuardedServer,
  events: readonly GuildEvent[],
): Promise<void> => {
  const after = events.reduce<GuardedServer>(withEvent, before);
  const entries = events.filter((event) => event.kind === 'auditEntry');
  await storeFacts(tx, before, after, entries);
  await storePlaces(dependencies, tx, before, events);
  // Roles that are gone by now may have been given before.
  const roles = before.roles && after.roles && new Map([...before.roles, ...after.roles]);
  await ingestEntries(dependencies, tx, { ...after, roles: roles ?? after.roles }, entries);
  await noteLosses(dependencies, tx, after, events);
  if (before.guard.awaitsOwner && !after.guard.awaitsOwner) {
    await judgeHeldBack(dependencies, tx, after);
  }
  if (after.roles === undefined || events.some((event) => isLookedFor(before, event))) {
    await lookLater(dependencies.queue, tx, { ...before, afterEntryId: before.lastEntryId });
  }
};

const storeFacts = async (
  tx: Transaction,
  before: GuardedServer,
  after: GuardedServer,
  entries: readonly AuditLogEntry[],
): Promise<void> => {
  const lastEntryId = newestOf([...entries.map(({ entryId }) => entryId), before.lastEntryId]);
  const { ownerId } = after.guard;
  const facts = {
    ...(ownerId !== before.guard.ownerId && { ownerId }),
    ...(after.roles && after.roles !== before.roles && { roles: Object.fromEntries(after.roles) }),
    ...(after.botRoleIds !== before.botRoleIds && { botRoleIds: [...after.botRoleIds] }),
    ...(lastEntryId !== before.lastEntryId && { lastEntryId }),
  };
  if (Object.keys(facts).length > 0) await storeWatched(tx, after, facts);
};

/** Where channels and roles stand now that were changed, which may be somewhere else than before. */
const storePlaces = async (
  { clock }: IngestDependencies,
  tx: Transaction,
  server: GuardedServer,
  events: readonly GuildEvent[],
): Promise<void> => {
  const at = clock.now();
  const places = events.flatMap((event) => {
    if (event.kind === 'roleChanged') {
      const { id, position } = event.role;
      return { type: 'role' as const, thingId: id, parentId: null, position, at };
    }
    if (event.kind !== 'channelChanged' || event.position === null) return [];
    const { channelId, parentId, position } = event;
    return { type: 'channel' as const, thingId: channelId, parentId, position, at };
  });
  const last = new Map(places.map((place) => [`${place.type} ${place.thingId}`, place]));
  await insertMoves(tx, server, [...last.values()]);
};

/** Of ids of the platform the larger one is the newer. */
export const newestOf = (ids: readonly (string | null)[]): string | null =>
  ids.reduce((newest, id) => {
    if (id === null) return newest;
    return newest === null || BigInt(id) > BigInt(newest) ? id : newest;
  }, null);

import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { servers } from '../servers/table.ts';

/** `UNKNOWN`: it was asked, and the platform gave no answer. */
export type Absence = 'REMOVED' | 'DELETED' | 'UNKNOWN';

/**
 * What a server's guild has at present, as far as it was seen: in full by a backup, a refresh or a new
 * connection of the bot, and since then change by change.
 */
export const liveGuilds = pgTable('live_guilds', {
  serverId: partOf(() => servers.id).primaryKey(),
  accountId: uuid().notNull(),
  /** The server may have moved to another guild since: then nothing of this counts. */
  guildId: text().notNull(),
  isInGuild: boolean().notNull(),
  /** Why it is not in it; null while it is, and until that was asked. */
  absence: text().$type<Absence>(),
  channelIds: json<string[]>().notNull(),
  roleIds: json<string[]>().notNull(),
  managedRoleIds: json<string[]>().notNull(),
  /** When it was last seen in full. */
  seenAt: moment().notNull(),
  /** The same, or when a change was reported since. What was read before that is older. */
  changedAt: moment().notNull(),
});

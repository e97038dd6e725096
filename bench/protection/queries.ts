import type { SQL } from 'bun';
import { newId } from '../../apps/server/src/kernel/ids.ts';
import type { BotRow } from '../gateway/queries.ts';

export const protectAll = async (sql: SQL): Promise<void> => {
  await sql`update servers set anti_nuke_enabled = true`;
};

/** More servers of one bot, each in a guild of its own. */
export const insertServersOf = async (
  sql: SQL,
  bot: BotRow,
  guildIds: readonly string[],
): Promise<void> => {
  const rows = guildIds.map((guildId) => ({
    ...{ id: newId(), account_id: bot.accountId, custom_bot_id: bot.id },
    ...{ platform_guild_id: guildId, name: 'Community', anti_nuke_enabled: true },
  }));
  await sql`insert into servers ${sql(rows)}`;
};

/** When the service noticed the attack on each guild, by its own clock: the simulator's is the same. */
export const readNoticed = async (sql: SQL): Promise<Map<string, number>> => {
  const rows: { guild_id: string; detected_at: Date }[] = await sql`
    select guild_id, detected_at from incidents where kind = 'NUKE'`;
  return new Map(rows.map((row) => [row.guild_id, row.detected_at.getTime()]));
};

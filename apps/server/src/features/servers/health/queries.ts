import type { Health } from '@holdfast/contract';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { servers } from '../table.ts';
import type { HealthReason } from './describe-health.ts';

type Owned = { accountId: string; serverId: string };

/** Whether the bot's connection reports what changes in the guild. No bot has one yet. */
export const isConnected = sql<boolean>`false`;

const owned = ({ accountId, serverId }: Owned) =>
  and(eq(servers.id, serverId), eq(servers.accountId, accountId), isNull(servers.deletedAt));

/** What the health depends on. Of several changes at once, each sees what the one before it left. */
export const lockHealth = (tx: Transaction, owner: Owned) =>
  firstRow(
    tx
      .select({
        guildId: servers.platformGuildId,
        memberCount: servers.memberCount,
        health: servers.health,
        healthReasons: servers.healthReasons,
        lastGoodBackupId: servers.lastGoodBackupId,
        verifiedRoleId: servers.verifiedRoleId,
        logChannelId: servers.logChannelId,
        missingRoleId: servers.missingRoleId,
        missingChannelId: servers.missingChannelId,
      })
      .from(servers)
      .where(owned(owner))
      .for('no key update'),
  );

/** Not a change of settings, so `updatedAt` stays. */
export const storeHealth = async (
  tx: Transaction,
  owner: Owned,
  assessed: { health: Health; healthReasons: HealthReason[]; lastGoodBackupId: string | null },
): Promise<void> => {
  await tx.update(servers).set(assessed).where(owned(owner));
};

/** What the platform reports of a guild besides its channels and roles. */
export const storeGuildNews = async (
  tx: Transaction,
  owner: Owned,
  news: { name?: string; iconUrl?: string | null; memberCount: number },
): Promise<void> => {
  await tx.update(servers).set(news).where(owned(owner));
};

/** In the order in which they are locked. */
export const listServersOfBot = (db: Queryable, bot: { accountId: string; botId: string }) =>
  db
    .select({ serverId: servers.id, guildId: servers.platformGuildId })
    .from(servers)
    .where(
      and(
        eq(servers.accountId, bot.accountId),
        eq(servers.customBotId, bot.botId),
        isNull(servers.deletedAt),
      ),
    )
    .orderBy(servers.id);

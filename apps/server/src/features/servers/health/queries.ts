import type { Health } from '@holdfast/contract';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../table.ts';
import type { HealthReason } from './describe-health.ts';

type Owned = { accountId: string; serverId: string };

/** Whether the bot's connection reports what changes in the guild. */
export const isConnected = sql<boolean>`exists (
  select 1 from ${bots}
  where ${bots.id} = ${servers.customBotId} and ${bots.isActive} and ${bots.connectedAt} is not null
)`;

const owned = ({ accountId, serverId }: Owned) =>
  and(eq(servers.id, serverId), eq(servers.accountId, accountId), isNull(servers.deletedAt));

/** What the health depends on. Of several changes at once, each sees what the one before it left. */
export const lockHealth = (tx: Transaction, owner: Owned) =>
  firstRow(
    tx
      .select({
        guildId: servers.platformGuildId,
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
  markChanged(tx, owner, 'servers');
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

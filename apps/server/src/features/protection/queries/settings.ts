import { and, eq, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import type { StoredSettings } from '../rules.ts';
import { protectionSettings } from '../table.ts';

type Owned = { accountId: string; serverId: string };

const { serverId, accountId } = protectionSettings;
const storedFields = {
  thresholds: protectionSettings.thresholds,
  raid: protectionSettings.raid,
  autoRepair: protectionSettings.autoRepair,
  trusted: protectionSettings.trusted,
  disableDelayMinutes: protectionSettings.disableDelayMinutes,
  pending: protectionSettings.pending,
};

/** Undefined where all are the defaults. Whoever changes them locks the server first. */
export const findStoredSettings = (db: Queryable, owner: Owned) =>
  firstRow(
    db
      .select(storedFields)
      .from(protectionSettings)
      .where(and(eq(serverId, owner.serverId), eq(accountId, owner.accountId))),
  );

export const storeSettings = async (
  tx: Transaction,
  owner: Owned,
  { thresholds, raid, autoRepair, trusted, disableDelayMinutes, pending }: StoredSettings,
): Promise<void> => {
  const chosen = { thresholds, raid, autoRepair, trusted, disableDelayMinutes, pending };
  await tx
    .insert(protectionSettings)
    .values({ serverId: owner.serverId, accountId: owner.accountId, ...chosen })
    .onConflictDoUpdate({ target: serverId, set: { ...chosen, updatedAt: sql`now()` } });
  markChanged(tx, owner, 'protection');
};

import type { AlertSettings } from '@holdfast/contract';
import { eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { completeSettings } from '../rules.ts';
import { alertSettings } from '../table.ts';

export const findSettings = async (db: Queryable, accountId: string): Promise<AlertSettings> => {
  const [row] = await db
    .select({ settings: alertSettings.settings })
    .from(alertSettings)
    .where(eq(alertSettings.accountId, accountId));
  return completeSettings(row?.settings ?? {});
};

/** Locked, so that of two changes at once each is compared with what it replaces. */
export const lockSettings = async (tx: Transaction, accountId: string): Promise<AlertSettings> => {
  const [row] = await tx
    .insert(alertSettings)
    .values({ accountId, settings: {} })
    .onConflictDoUpdate({ target: alertSettings.accountId, set: { accountId } })
    .returning({ settings: alertSettings.settings });
  return completeSettings(row?.settings ?? {});
};

/** Only the kinds that the account chose are stored, so that the others follow the defaults. */
export const mergeSettings = async (
  tx: Transaction,
  accountId: string,
  changes: Partial<AlertSettings>,
): Promise<void> => {
  const chosen = JSON.stringify(changes);
  await tx
    .update(alertSettings)
    .set({
      settings: sql`${alertSettings.settings} || ${chosen}::text::jsonb`,
      updatedAt: sql`now()`,
    })
    .where(eq(alertSettings.accountId, accountId));
};

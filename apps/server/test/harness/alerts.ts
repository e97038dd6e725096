import { alerts } from '../../src/features/alerts/table.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { OwnTenant } from './service.ts';

/** An alert that is in the list and is told nowhere else. Requests raise none by themselves. */
export const storeAlert = async (
  { db, accountId }: OwnTenant,
  changes: Partial<typeof alerts.$inferInsert> = {},
): Promise<string> => {
  const id = newId();
  await db.insert(alerts).values({
    ...{ id, accountId, serverId: null, kind: 'BOT_REFUSED', createdAt: new Date() },
    facts: { botName: 'Gatekeeper', refused: 'TOKEN' },
    ...{ isListed: true, isMailWaiting: false, isPostWaiting: false },
    ...changes,
  });
  return id;
};

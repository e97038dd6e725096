import { alerts } from '../../src/features/alerts/table.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { OwnTenant, Tenant } from './service.ts';

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

/** As many, a minute apart. */
export const storeManyAlerts = async (
  { db, accountId }: OwnTenant,
  count: number,
  serverId: string | null = null,
): Promise<void> => {
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, at) => ({
    ...{ id: newId(), accountId, serverId, kind: 'APPEAL_OPENED' as const, facts: {} },
    ...{ isListed: true, isMailWaiting: false, isPostWaiting: false },
    createdAt: new Date(now - at * 60_000),
  }));
  for (let at = 0; at < count; at += 2000)
    await db.insert(alerts).values(rows.slice(at, at + 2000));
};

/** What the account's list of alerts has, newest first. */
export const alertsOf = async (tenant: Tenant) =>
  (await tenant.call('GET', '/api/v1/alerts?limit=100')).body.data;

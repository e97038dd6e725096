import { and, count, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../../db/connect.ts';
import { batchedRead } from '../../../db/queries/batched-read.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { shownSubscription } from '../../billing/queries/shown-subscription.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';

/** One query for the account, both counts, and the subscription that gives the plan, or else the newest one. */
const accountById = batchedRead({ accountId: 'uuid' }, (db) => {
  const accountId = sql.placeholder('accountId');
  const serverCount = db
    .select({ total: count() })
    .from(servers)
    .where(and(eq(servers.accountId, accountId), isNull(servers.deletedAt)));
  const botCount = db.select({ total: count() }).from(bots).where(eq(bots.accountId, accountId));
  const shown = shownSubscription(db, accountId);
  const { id, platformId, username, displayName, avatarUrl, plan, mfaEnabled, createdAt } =
    accounts;
  return db
    .select({
      ...{ id, platformId, username, displayName, avatarUrl, plan, mfaEnabled, createdAt },
      servers: sql<number>`(${serverCount})::int`,
      customBots: sql<number>`(${botCount})::int`,
      givenPlan: shown.givenPlan,
      status: shown.status,
      currentPeriodEnd: shown.currentPeriodEnd,
      isTrial: shown.isTrial,
      trialEndsAt: shown.trialEndsAt,
      cancelledAt: shown.cancelledAt,
    })
    .from(accounts)
    .leftJoin(shown, sql`true`)
    .where(eq(accounts.id, accountId));
});

export const findAccount = (db: Database, accountId: string) =>
  firstRow(accountById(db, { accountId }));

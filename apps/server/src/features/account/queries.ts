import { type PlanName, planNames } from '@holdfast/contract';
import { and, count, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { subscriptions } from '../billing/table.ts';
import { bots } from '../bots/table.ts';
import { servers } from '../servers/table.ts';
import { users } from '../users/table.ts';

const { status, currentPeriodEnd, isTrial, trialEndsAt, cancelledAt } = subscriptions;

const planOrder = sql.raw(`array[${planNames.map((name) => `'${name}'`).join(', ')}]`);

/** The user with both counts and the subscription that gives their plan, else the newest; in one question. */
const accountById = preparedRead((db) => {
  const userId = sql.placeholder('userId');
  const serverCount = db
    .select({ total: count() })
    .from(servers)
    .where(and(eq(servers.userId, userId), isNull(servers.deletedAt)));
  const botCount = db.select({ total: count() }).from(bots).where(eq(bots.userId, userId));
  const shown = db
    .select({
      givenPlan: sql<PlanName | null>`${subscriptions.plan}`.as('given_plan'),
      ...{ status, currentPeriodEnd, isTrial, trialEndsAt, cancelledAt },
    })
    .from(subscriptions)
    .where(eq(subscriptions.userId, userId))
    .orderBy(
      sql`array_position(${planOrder}, ${subscriptions.plan}) desc`,
      desc(subscriptions.createdAt),
      desc(subscriptions.id),
    )
    .limit(1)
    .as('shown');
  const { id, platformId, username, displayName, avatarUrl, plan, mfaEnabled, createdAt } = users;
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
    .from(users)
    .leftJoin(shown, sql`true`)
    .where(eq(users.id, userId));
});

export const findAccount = async (db: Database, userId: string) => {
  const [account] = await accountById(db, { userId });
  return account;
};

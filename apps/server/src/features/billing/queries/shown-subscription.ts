import { type PlanName, planNames, type SubscriptionStatus } from '@holdfast/contract';
import { desc, eq, type Placeholder, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { subscriptions } from '../table.ts';

const { status, currentPeriodEnd, isTrial, trialEndsAt, cancelledAt } = subscriptions;

/** All are null for an account that never paid. */
export type ShownColumns = {
  givenPlan: PlanName | null;
  status: SubscriptionStatus | null;
  currentPeriodEnd: Date | null;
  isTrial: boolean | null;
  trialEndsAt: Date | null;
  cancelledAt: Date | null;
};

const planOrder = sql.raw(`array[${planNames.map((name) => `'${name}'`).join(', ')}]`);

/** The subscription that gives the highest plan, or else the newest one. */
export const shownSubscription = (db: Queryable, accountId: string | Placeholder) =>
  db
    .select({
      givenPlan: sql<PlanName | null>`${subscriptions.plan}`.as('given_plan'),
      ...{ status, currentPeriodEnd, isTrial, trialEndsAt, cancelledAt },
    })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, accountId))
    .orderBy(
      sql`array_position(${planOrder}, ${subscriptions.plan}) desc`,
      desc(subscriptions.createdAt),
      desc(subscriptions.id),
    )
    .limit(1)
    .as('shown');

/** The plan in force, and the subscription beside it. */
export const findShownSubscription = async (db: Queryable, accountId: string) => {
  const shown = shownSubscription(db, accountId);
  const row = await firstRow(
    db
      .select({
        plan: accounts.plan,
        givenPlan: shown.givenPlan,
        status: shown.status,
        currentPeriodEnd: shown.currentPeriodEnd,
        isTrial: shown.isTrial,
        trialEndsAt: shown.trialEndsAt,
        cancelledAt: shown.cancelledAt,
      })
      .from(accounts)
      .leftJoin(shown, sql`true`)
      .where(eq(accounts.id, accountId)),
  );
  if (!row) throw new Error('The account is gone');
  return row;
};

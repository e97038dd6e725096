import type { SubscriptionStatus } from '@holdfast/contract';
import { and, desc, eq, gt, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { Database, Queryable } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { subscriptions } from '../table.ts';

const { id, providerRef, accountId, facts, plan, status, changingUntil } = subscriptions;
const { currentPeriodEnd, cancelledAt, customerId, changesAt } = subscriptions;

export const liveStatuses: SubscriptionStatus[] = ['ACTIVE', 'TRIALING', 'PAST_DUE'];

const isCard = and(eq(subscriptions.provider, 'CARD'), sql`${providerRef} not like 'prepaid:%'`);

/** The card subscriptions that the provider charges, the newest checkout first. */
export const listLiveCardSubscriptions = (db: Queryable, ownerId: string) =>
  db
    .select({
      ...{ id, providerRef, customerId, facts, plan, status },
      ...{ currentPeriodEnd, cancelledAt, changesAt },
    })
    .from(subscriptions)
    .where(and(eq(accountId, ownerId), isCard, inArray(status, liveStatuses)))
    .orderBy(
      sql`(${facts} -> 'checkout' ->> 'at')::bigint desc nulls last`,
      desc(subscriptions.createdAt),
      desc(id),
    );

/** The one that a request changes. */
export const findCardSubscription = (db: Queryable, ownerId: string) =>
  firstRow(listLiveCardSubscriptions(db, ownerId).limit(1));

/** By so much the clocks of two processes may differ. */
const clockDifferenceMs = 60_000;

/**
 * Reserves the subscription for one change at the provider. False while another has it. A reservation that
 * ends too far in the future was made before the clock was set back.
 */
export const reserveChange = (
  db: Database,
  subscription: { id: string; accountId: string },
  { now, until }: { now: Date; until: Date },
): Promise<boolean> =>
  hasRows(
    db
      .update(subscriptions)
      .set({ changingUntil: until })
      .where(
        and(
          eq(id, subscription.id),
          eq(accountId, subscription.accountId),
          or(
            ...[isNull(changingUntil), lt(changingUntil, now)],
            gt(changingUntil, new Date(until.getTime() + clockDifferenceMs)),
          ),
        ),
      )
      .returning({ id }),
  );

/** Only by the holder: a reservation that ran out may belong to another by now. */
export const releaseChange = async (
  db: Database,
  subscription: { id: string; accountId: string },
  until: Date,
): Promise<void> => {
  await db
    .update(subscriptions)
    .set({ changingUntil: null })
    .where(
      and(eq(id, subscription.id), eq(accountId, subscription.accountId), eq(changingUntil, until)),
    );
};

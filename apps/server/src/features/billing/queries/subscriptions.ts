import type { PaymentMethod } from '@holdfast/contract';
import { and, asc, desc, eq, gt, isNotNull, isNull, lte, ne, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Facts, Standing } from '../rules.ts';
import { billingCustomers, billingNotices, subscriptions } from '../table.ts';

const { id, providerRef, customerId, accountId, facts, plan, status } = subscriptions;
const { currentPeriodEnd, changesAt } = subscriptions;
const storedFields = {
  id,
  providerRef,
  accountId,
  facts,
  plan,
  status,
  currentPeriodEnd,
  changesAt,
};

const storedKeys = [
  ...(['id', 'providerRef', 'accountId', 'facts'] as const),
  ...(['plan', 'status', 'currentPeriodEnd', 'changesAt'] as const),
];

export type StoredSubscription = Pick<
  typeof subscriptions.$inferSelect,
  (typeof storedKeys)[number]
>;

type SubscriptionName = { provider: PaymentMethod; providerRef: string; customerId: string | null };

const lockSubscriptionStatement = preparedStep<StoredSubscription>(storedKeys, (tx) =>
  tx
    .select(storedFields)
    .from(subscriptions)
    .where(eq(providerRef, sql.placeholder('providerRef')))
    .for('update'),
);

type LockedPair = StoredSubscription & { customerAccountId: string | null };

const lockPairStatement = preparedStep<LockedPair>(['customerAccountId', ...storedKeys], (tx) =>
  tx
    .select({ customerAccountId: billingCustomers.accountId, ...storedFields })
    .from(billingCustomers)
    .innerJoin(subscriptions, eq(providerRef, sql.placeholder('providerRef')))
    .where(eq(billingCustomers.customerId, sql.placeholder('customerId')))
    .for('update'),
);

/** Locks customer and subscription in one query. Most events find both; undefined otherwise. */
export const lockExistingPair = (
  tx: Transaction,
  names: { customerId: string; providerRef: string },
): Promise<LockedPair | undefined> => firstRow(lockPairStatement(tx, names));

/** Locks the subscription. Inserts it if need be. */
export const lockSubscription = async (tx: Transaction, name: SubscriptionName) => {
  const [subscription] = await lockSubscriptionStatement(tx, { providerRef: name.providerRef });
  return subscription ?? insertSubscription(tx, name);
};

const insertSubscription = async (tx: Transaction, name: SubscriptionName) => {
  const [inserted] = await tx
    .insert(subscriptions)
    .values({ id: newId(), ...name })
    // If another transaction inserted it meanwhile, this locks that row.
    .onConflictDoUpdate({ target: providerRef, set: { providerRef: name.providerRef } })
    .returning(storedFields);
  if (!inserted) throw new Error('The subscription could not be stored');
  return inserted;
};

export const lockSubscriptionById = (tx: Transaction, subscriptionId: string) =>
  firstRow(tx.select(storedFields).from(subscriptions).where(eq(id, subscriptionId)).for('update'));

/** The subscriptions of a customer that have no account yet. */
export const lockWaitingSubscriptions = (tx: Transaction, ofCustomer: string) =>
  tx
    .select(storedFields)
    .from(subscriptions)
    .where(and(eq(customerId, ofCustomer), isNull(accountId)))
    .orderBy(asc(providerRef))
    .for('update');

/** For a subscription whose account is unknown: it gives no plan. */
export const storeFacts = async (
  tx: Transaction,
  subscriptionId: string,
  changes: { facts: Facts; customerId: string | null },
): Promise<void> => {
  await tx
    .update(subscriptions)
    .set({
      facts: changes.facts,
      customerId: sql`coalesce(${changes.customerId}, ${customerId})`,
      updatedAt: sql`now()`,
    })
    .where(eq(id, subscriptionId));
};

const storeStandingStatement = preparedStep([], (tx) => {
  const given = (name: keyof Standing | 'accountId' | 'facts', type: string) =>
    sql`${sql.placeholder(name)}::${sql.raw(type)}`;
  return tx
    .update(subscriptions)
    .set({
      ...{ accountId: given('accountId', 'uuid'), facts: given('facts', 'jsonb') },
      ...{ plan: given('plan', 'text'), status: given('status', 'text') },
      currentPeriodEnd: given('currentPeriodEnd', 'timestamptz'),
      isTrial: given('isTrial', 'boolean'),
      trialEndsAt: given('trialEndsAt', 'timestamptz'),
      cancelledAt: given('cancelledAt', 'timestamptz'),
      changesAt: given('changesAt', 'timestamptz'),
      updatedAt: sql`now()`,
    })
    .where(eq(id, sql.placeholder('id')));
});

export const storeStanding = async (
  tx: Transaction,
  subscriptionId: string,
  changes: Standing & { accountId: string; facts: Facts },
): Promise<void> => {
  await storeStandingStatement(tx, { id: subscriptionId, ...changes });
};

/** The plans that the account's other subscriptions give. Call it under the account's lock. */
export const listOtherPlans = async (tx: Transaction, ownerId: string, subscriptionId: string) => {
  const others = await tx
    .select({ plan })
    .from(subscriptions)
    .where(and(eq(accountId, ownerId), ne(id, subscriptionId)));
  return others.map((other) => other.plan);
};

/** Newest first. */
export const listStandings = (db: Queryable, ownerId: string) =>
  db
    .select({
      ...{ provider: subscriptions.provider, providerRef, plan, status, changesAt },
      cancelledAt: subscriptions.cancelledAt,
    })
    .from(subscriptions)
    .where(eq(accountId, ownerId))
    .orderBy(desc(subscriptions.createdAt), desc(id));

/** The longest overdue first. */
export const listOverdueSubscriptions = (db: Queryable, now: Date, limit: number) =>
  db
    .select({ id })
    .from(subscriptions)
    .where(and(lte(changesAt, now), isNotNull(accountId)))
    .orderBy(asc(changesAt))
    .limit(limit);

/** Identifies the prepaid period, so that one mail is sent about its end. */
const endingSubject = sql<string>`${id}::text || ':' || (${facts} ->> 'prepaidUntil')`;

/** Prepaid subscriptions that end in this time and have no notice yet; others renew automatically. */
export const listEndingSubscriptions = (
  db: Queryable,
  { from, to }: { from: Date; to: Date },
  limit: number,
) =>
  db
    .select({ id, accountId: sql<string>`${accountId}`, subject: endingSubject })
    .from(subscriptions)
    .leftJoin(
      billingNotices,
      and(eq(billingNotices.kind, 'PERIOD_ENDING'), eq(billingNotices.subject, endingSubject)),
    )
    .where(
      and(
        gt(changesAt, from),
        lte(changesAt, to),
        isNotNull(accountId),
        sql`${facts} -> 'prepaidUntil' is not null`,
        isNull(billingNotices.id),
      ),
    )
    .orderBy(asc(changesAt))
    .limit(limit);

/** Subscriptions that the card provider could charge again, paused ones (EXPIRED) included. */
export const listCardSubscriptions = (tx: Transaction, ownerId: string) =>
  tx
    .select({ providerRef })
    .from(subscriptions)
    .where(
      and(
        ...[eq(accountId, ownerId), eq(subscriptions.provider, 'CARD')],
        ne(status, 'CANCELLED'),
        sql`${providerRef} not like 'prepaid:%'`,
      ),
    );

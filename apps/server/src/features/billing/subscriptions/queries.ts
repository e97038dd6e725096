import type { PayWay, PlanName } from '@holdfast/contract';
import { and, asc, desc, eq, gt, isNotNull, isNull, lte, ne, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared-step.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Facts, Standing } from '../rules.ts';
import { billingCustomers, billingNotices, subscriptions } from '../table.ts';

const { id, providerRef, customerId, accountId, facts, plan, status } = subscriptions;
const { currentPeriodEnd, changesAt } = subscriptions;
const heldFields = { id, providerRef, accountId, facts, plan, status, currentPeriodEnd, changesAt };

const heldKeys = [
  ...(['id', 'providerRef', 'accountId', 'facts'] as const),
  ...(['plan', 'status', 'currentPeriodEnd', 'changesAt'] as const),
];

export type HeldSubscription = {
  id: string;
  providerRef: string;
  accountId: string | null;
  facts: Facts;
  plan: PlanName;
  status: Standing['status'];
  currentPeriodEnd: Date;
  changesAt: Date | null;
};

type Named = { provider: PayWay; providerRef: string; customerId: string | null };

const subscriptionHeld = preparedStep<HeldSubscription>(heldKeys, (tx) =>
  tx
    .select(heldFields)
    .from(subscriptions)
    .where(eq(providerRef, sql.placeholder('providerRef')))
    .for('update'),
);

type KnownPair = HeldSubscription & { customersUserId: string | null };

const pairHeld = preparedStep<KnownPair>(['customersUserId', ...heldKeys], (tx) =>
  tx
    .select({ customersUserId: billingCustomers.accountId, ...heldFields })
    .from(billingCustomers)
    .innerJoin(subscriptions, eq(providerRef, sql.placeholder('providerRef')))
    .where(eq(billingCustomers.customerId, sql.placeholder('customerId')))
    .for('update'),
);

/** Customer and subscription in one question, where both are there already: as with most events. */
export const lockKnownPair = async (
  tx: Transaction,
  names: { customerId: string; providerRef: string },
): Promise<KnownPair | undefined> => {
  const [pair] = await pairHeld(tx, names);
  return pair;
};

/** The subscription of that name, made if need be, and held. */
export const lockSubscription = async (tx: Transaction, wish: Named): Promise<HeldSubscription> => {
  const [held] = await subscriptionHeld(tx, { providerRef: wish.providerRef });
  return held ?? insertSubscription(tx, wish);
};

const insertSubscription = async (tx: Transaction, wish: Named): Promise<HeldSubscription> => {
  const [inserted] = await tx
    .insert(subscriptions)
    .values({ id: newId(), ...wish })
    // Somebody else made it meanwhile: that one it is.
    .onConflictDoUpdate({ target: providerRef, set: { providerRef: wish.providerRef } })
    .returning(heldFields);
  if (!inserted) throw new Error('The subscription could not be stored');
  return inserted;
};

export const lockSubscriptionById = async (
  tx: Transaction,
  subscriptionId: string,
): Promise<HeldSubscription | undefined> => {
  const [held] = await tx
    .select(heldFields)
    .from(subscriptions)
    .where(eq(id, subscriptionId))
    .for('update');
  return held;
};

/** Those of a customer of whom nobody knew yet who it is. */
export const lockWaitingSubscriptions = (
  tx: Transaction,
  ofCustomer: string,
): Promise<HeldSubscription[]> =>
  tx
    .select(heldFields)
    .from(subscriptions)
    .where(and(eq(customerId, ofCustomer), isNull(accountId)))
    .orderBy(asc(providerRef))
    .for('update');

/** What is known of one that is nobody's yet: it gives nothing to anybody. */
export const storeFacts = async (
  tx: Transaction,
  subscriptionId: string,
  known: { facts: Facts; customerId: string | null },
): Promise<void> => {
  await tx
    .update(subscriptions)
    .set({
      facts: known.facts,
      customerId: sql`coalesce(${known.customerId}, ${customerId})`,
      updatedAt: sql`now()`,
    })
    .where(eq(id, subscriptionId));
};

const standingStored = preparedStep([], (tx) => {
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
  await standingStored(tx, { id: subscriptionId, ...changes });
};

/** What the user's other subscriptions give. Ask under the user's lock. */
export const listOtherPlans = async (
  tx: Transaction,
  ownerId: string,
  subscriptionId: string,
): Promise<PlanName[]> => {
  const others = await tx
    .select({ plan })
    .from(subscriptions)
    .where(and(eq(accountId, ownerId), ne(id, subscriptionId)));
  return others.map((other) => other.plan);
};

/** All of a user's, newest first. */
export const listStandings = (db: Queryable, ownerId: string) =>
  db
    .select({
      ...{ provider: subscriptions.provider, providerRef, plan, status, changesAt },
      cancelledAt: subscriptions.cancelledAt,
    })
    .from(subscriptions)
    .where(eq(accountId, ownerId))
    .orderBy(desc(subscriptions.createdAt), desc(id));

/** Those that time has changed since, the longest overdue first. */
export const listOverdue = (db: Queryable, now: Date, most: number) =>
  db
    .select({ id })
    .from(subscriptions)
    .where(and(lte(changesAt, now), isNotNull(accountId)))
    .orderBy(asc(changesAt))
    .limit(most);

/** Names the month that ends, for the one mail about it. */
const endingSubject = sql<string>`${id}::text || ':' || (${facts} ->> 'prepaidUntil')`;

/** Prepaid ones that end in this time and of which nobody was told; others renew themselves. */
export const listEnding = (db: Queryable, { from, to }: { from: Date; to: Date }, most: number) =>
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
    .limit(most);

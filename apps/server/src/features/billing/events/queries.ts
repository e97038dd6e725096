import type { PageQuery, PaymentProvider } from '@holdfast/contract';
import { and, count, desc, eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared-step.ts';
import { newId } from '../../../kernel/ids.ts';
import { billingEvents, subscriptions } from '../table.ts';
import type { Settlement } from '../tools.ts';

export type NewEvent = {
  provider: PaymentProvider;
  providerEventId: string;
  type: string;
  /** The provider's id of the subscription or charge it is about, if that is known already. */
  subjectRef: string | null;
};

const eventInserted = preparedStep<{ id: string; accountId: string | null }>(
  ['id', 'accountId'],
  (tx) => {
    const given = (name: string) => sql.placeholder(name);
    return tx
      .insert(billingEvents)
      .values({
        ...{ id: given('id'), provider: given('provider'), type: given('type') },
        ...{ providerEventId: given('providerEventId'), subjectRef: given('subjectRef') },
        outcome: likelyOutcome,
        accountId: sql`(
        select ${subscriptions.accountId} from ${subscriptions}
        where ${subscriptions.providerRef} = ${given('subjectRef')})`,
      })
      .onConflictDoNothing()
      .returning({ id: billingEvents.id, accountId: billingEvents.accountId });
  },
);

/** What most events come to; the row is written again only for the others. */
const likelyOutcome = 'APPLIED';

type InsertedEvent = Required<Settlement> & { id: string };

/**
 * The event's own row; undefined where it was there already. A copy that arrives meanwhile waits here
 * until this transaction has ended, and then finds it, or takes its place.
 */
export const insertEvent = async (
  tx: Transaction,
  event: NewEvent,
): Promise<InsertedEvent | undefined> => {
  const [inserted] = await eventInserted(tx, { id: newId(), ...event });
  return inserted && { ...inserted, outcome: likelyOutcome, subjectRef: event.subjectRef };
};

const eventSettled = preparedStep([], (tx) =>
  tx
    .update(billingEvents)
    .set({
      outcome: sql`${sql.placeholder('outcome')}`,
      accountId: sql`${sql.placeholder('accountId')}::uuid`,
      subjectRef: sql`${sql.placeholder('subjectRef')}`,
    })
    .where(eq(billingEvents.id, sql.placeholder('id'))),
);

export const settleEvent = async (
  tx: Transaction,
  inserted: InsertedEvent,
  { outcome, accountId, subjectRef = inserted.subjectRef }: Settlement,
): Promise<void> => {
  const isSo = inserted.outcome === outcome && inserted.accountId === accountId;
  if (isSo && inserted.subjectRef === subjectRef) return;
  await eventSettled(tx, { id: inserted.id, outcome, accountId, subjectRef });
};

/** The events that waited for it to be known whose this is; they count from now on. */
export const claimWaitingEvents = async (
  tx: Transaction,
  subjectRef: string,
  accountId: string,
): Promise<string[]> => {
  const claimed = await tx
    .update(billingEvents)
    .set({ outcome: 'APPLIED', accountId })
    .where(and(eq(billingEvents.subjectRef, subjectRef), eq(billingEvents.outcome, 'UNMATCHED')))
    .returning({ providerEventId: billingEvents.providerEventId });
  return claimed.map(({ providerEventId }) => providerEventId);
};

export const listEvents = async (db: Queryable, accountId: string, { page, limit }: PageQuery) => {
  const { id, provider, type, providerEventId, outcome, createdAt } = billingEvents;
  const isOfUser = eq(billingEvents.accountId, accountId);
  const [counted] = await db.select({ total: count() }).from(billingEvents).where(isOfUser);
  const rows = await db
    .select({ id, provider, type, providerEventId, outcome, createdAt })
    .from(billingEvents)
    .where(isOfUser)
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .offset((page - 1) * limit);
  return { rows, total: counted?.total ?? 0 };
};

import type { PageQuery, PaymentProvider } from '@holdfast/contract';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { newId } from '../../../kernel/ids.ts';
import type { EventResult } from '../events/order-payments.ts';
import { billingEvents, subscriptions } from '../table.ts';

export type NewEvent = {
  provider: PaymentProvider;
  providerEventId: string;
  type: string;
  /** The provider's id of the subscription or charge that the event is about, if the event names it. */
  subjectRef: string | null;
};

/** The outcome of most events; the row is updated only for the others. */
const likelyOutcome = 'APPLIED';

const insertEventStatement = preparedStep<{ id: string; accountId: string | null }>(
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

type InsertedEvent = Required<Omit<EventResult, 'mismatch'>> & {
  id: string;
  /** False for a payment that was a MISMATCH when it was reported before. */
  isNew: boolean;
};

/**
 * Undefined where the event is stored already. A copy that arrives meanwhile waits at the unique key until
 * this transaction ends; it then finds the row, or takes its place after a rollback.
 */
export const insertEvent = async (
  tx: Transaction,
  event: NewEvent,
): Promise<InsertedEvent | undefined> => {
  const [inserted] = await insertEventStatement(tx, { id: newId(), ...event });
  const stored = inserted ?? (await reopenMismatch(tx, event));
  const { subjectRef } = event;
  return stored && { ...stored, outcome: likelyOutcome, subjectRef, isNew: stored === inserted };
};

/**
 * Coins that were sent later are reported under the same id as the wrong amount before. Of several copies one
 * gets the row while it is a MISMATCH.
 */
const reopenMismatch = async (tx: Transaction, { provider, providerEventId }: NewEvent) => {
  if (provider !== 'CRYPTO') return undefined;
  const [reopened] = await tx
    .update(billingEvents)
    .set({ outcome: likelyOutcome })
    .where(
      and(
        ...[eq(billingEvents.provider, provider), eq(billingEvents.outcome, 'MISMATCH')],
        eq(billingEvents.providerEventId, providerEventId),
      ),
    )
    .returning({ id: billingEvents.id, accountId: billingEvents.accountId });
  return reopened;
};

const eventUpdated = preparedStep([], (tx) =>
  tx
    .update(billingEvents)
    .set({
      outcome: sql`${sql.placeholder('outcome')}`,
      accountId: sql`${sql.placeholder('accountId')}::uuid`,
      subjectRef: sql`${sql.placeholder('subjectRef')}`,
    })
    .where(eq(billingEvents.id, sql.placeholder('id'))),
);

export const storeEventResult = async (
  tx: Transaction,
  inserted: InsertedEvent,
  { outcome, accountId, subjectRef = inserted.subjectRef }: EventResult,
): Promise<void> => {
  const isStored = inserted.outcome === outcome && inserted.accountId === accountId;
  if (isStored && inserted.subjectRef === subjectRef) return;
  await eventUpdated(tx, { id: inserted.id, outcome, accountId, subjectRef });
};

/** Marks the events that waited for their account to become known as applied. */
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

export const listEvents = (db: Queryable, accountId: string, query: PageQuery) => {
  const { id, provider, type, providerEventId, outcome, createdAt } = billingEvents;
  const isOwn = eq(billingEvents.accountId, accountId);
  const rows = db
    .select({ id, provider, type, providerEventId, outcome, createdAt })
    .from(billingEvents)
    .where(isOwn)
    .orderBy(desc(createdAt), desc(id));
  return listPage(query, rows, countRows(db, billingEvents, isOwn));
};

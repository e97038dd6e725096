import type {
  BillingOutcome,
  PaymentProvider,
  PayWay,
  PlanName,
  SubscriptionStatus,
} from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/columns.ts';
import { accounts } from '../accounts/table.ts';
import type { Facts } from './rules.ts';

const ofUser = () => uuid().references(() => accounts.id, { onDelete: 'cascade' });

/** What providers told. A row's unique key is what makes an event count once, for ever. */
export const billingEvents = pgTable(
  'billing_events',
  {
    id: uuid().primaryKey(),
    provider: text().$type<PaymentProvider>().notNull(),
    providerEventId: text().notNull(),
    type: text().notNull(),
    outcome: text().$type<BillingOutcome>().notNull(),
    /** No key to the account's row: what happened stays told when the account is gone. */
    accountId: uuid(),
    /** The provider's id of the subscription or charge it is about. */
    subjectRef: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (event) => [
    unique('billing_events_once').on(event.provider, event.providerEventId),
    index('billing_events_of_user').on(event.accountId, event.createdAt, event.id),
    index('billing_events_waiting').on(event.subjectRef).where(sql`outcome = 'UNMATCHED'`),
  ],
);

/** The card provider's customers. The row is the lock under which all that is one's is linked. */
export const billingCustomers = pgTable(
  'billing_customers',
  {
    customerId: text().primaryKey(),
    /** Null until a checkout tells whose it is. */
    accountId: ofUser(),
    createdAt: moment().notNull().defaultNow(),
  },
  (customer) => [index('billing_customers_of_user').on(customer.accountId)],
);

export const subscriptions = pgTable(
  'subscriptions',
  {
    id: uuid().primaryKey(),
    /** Of one that is paid for month by month: with what its first month was paid. */
    provider: text().$type<PayWay>().notNull(),
    /** The provider's id; of one that is paid for month by month, `prepaid:<user>:<plan>`. */
    providerRef: text().notNull().unique(),
    customerId: text(),
    /** Null until it is known whose it is. */
    accountId: ofUser(),
    /** All that is known of it; what follows is derived from this, as it stood last. */
    facts: json<Facts>().notNull().default({}),
    plan: text().$type<PlanName>().notNull().default('FREE'),
    status: text().$type<SubscriptionStatus>().notNull().default('INCOMPLETE'),
    currentPeriodEnd: moment().notNull().defaultNow(),
    isTrial: boolean().notNull().default(false),
    trialEndsAt: moment(),
    cancelledAt: moment(),
    /** When time alone will change it. */
    changesAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (subscription) => [
    index('subscriptions_of_user').on(subscription.accountId),
    index('subscriptions_waiting').on(subscription.customerId).where(sql`account_id is null`),
    index('subscriptions_to_change').on(subscription.changesAt),
  ],
);

/** What somebody was asked to pay. Goes when it expires; what was paid stays. */
export const billingInvoices = pgTable(
  'billing_invoices',
  {
    id: uuid().primaryKey(),
    accountId: ofUser().notNull(),
    plan: text().$type<PlanName>().notNull(),
    payWith: text().$type<PayWay>().notNull(),
    amountCents: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    /** The provider's id of its checkout session or invoice; null where a balance paid it. */
    providerRef: text(),
    payUrl: text(),
    expiresAt: moment().notNull(),
    paidAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (invoice) => [index('billing_invoices_of_user').on(invoice.accountId, invoice.createdAt)],
);

export const billingCharges = pgTable(
  'billing_charges',
  {
    chargeId: text().primaryKey(),
    customerId: text(),
    accountId: ofUser(),
    /** By which a dispute that names only the charge finds what it paid for. */
    paymentIntent: text(),
    currency: text().notNull(),
    /** The largest amount told so far; once it has a user, the ledger holds as much. */
    refundedCents: bigint({ mode: 'number' }).notNull(),
  },
  (charge) => [
    index('billing_charges_of_user').on(charge.accountId),
    index('billing_charges_waiting').on(charge.customerId).where(sql`account_id is null`),
  ],
);

/** Which subscription a charge or a payment intent of the card provider paid for. */
export const billingPaymentRefs = pgTable(
  'billing_payment_refs',
  {
    ref: text().primaryKey(),
    subscriptionRef: text().notNull(),
  },
  (payment) => [index('billing_payment_refs_of_subscription').on(payment.subscriptionRef)],
);

export type DisputeState = 'OPEN' | 'WON' | 'LOST';

/** Charges that their payers dispute. One that is not known to have paid for anything waits here. */
export const billingDisputes = pgTable(
  'billing_disputes',
  {
    disputeId: text().primaryKey(),
    chargeId: text(),
    paymentIntent: text(),
    amountCents: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    /** As the provider told it last; a closed one is never open again. */
    state: text().$type<DisputeState>().notNull(),
    /** What of it has had its effect; null until it is known what the charge paid for. */
    applied: text().$type<DisputeState>(),
    /** No key to the account's row: what happened stays told when the account is gone. */
    accountId: uuid(),
    /** What was taken from the buyer's credit because of it, while it is open. */
    heldCents: bigint({ mode: 'number' }).notNull().default(0),
    createdAt: moment().notNull().defaultNow(),
  },
  (dispute) => [
    index('billing_disputes_of_charge').on(dispute.chargeId),
    index('billing_disputes_of_intent').on(dispute.paymentIntent),
  ],
);

export type NoticeKind = 'PAYMENT_FAILED' | 'PERIOD_ENDING';

/** Mails about money: one for each subject, however often its cause is told. */
export const billingNotices = pgTable(
  'billing_notices',
  {
    id: uuid().primaryKey(),
    kind: text().$type<NoticeKind>().notNull(),
    /** The provider's invoice, or the period that ends. */
    subject: text().notNull(),
    accountId: ofUser().notNull(),
    subscriptionId: uuid()
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    sentAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (notice) => [
    unique('billing_notices_once').on(notice.kind, notice.subject),
    index('billing_notices_of_user').on(notice.accountId),
    index('billing_notices_of_subscription').on(notice.subscriptionId),
  ],
);

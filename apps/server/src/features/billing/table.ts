import type {
  BillingOutcome,
  LedgerPot,
  LedgerType,
  PaymentMethod,
  PaymentProvider,
  PlanName,
  SubscriptionStatus,
} from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';
import type { DisputeState, Facts } from './rules.ts';

const ofAccount = () => partOf(() => accounts.id);

/** Events of the providers. The unique key makes each of them count once, for ever. */
export const billingEvents = pgTable(
  'billing_events',
  {
    id: uuid().primaryKey(),
    provider: text().$type<PaymentProvider>().notNull(),
    providerEventId: text().notNull(),
    type: text().notNull(),
    outcome: text().$type<BillingOutcome>().notNull(),
    /** No foreign key: the record stays when the account is deleted. */
    accountId: uuid(),
    /** The provider's id of the subscription or charge that the event is about. */
    subjectRef: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (event) => [
    unique('billing_events_once').on(event.provider, event.providerEventId),
    index('billing_events_of_account').on(event.accountId, event.createdAt, event.id),
    index('billing_events_waiting').on(event.subjectRef).where(sql`outcome = 'UNMATCHED'`),
  ],
);

/** The card provider's customers. What belongs to a customer is linked under a lock on this row. */
export const billingCustomers = pgTable(
  'billing_customers',
  {
    customerId: text().primaryKey(),
    /** Null until a checkout names the account. */
    accountId: ofAccount(),
    createdAt: moment().notNull().defaultNow(),
  },
  (customer) => [index('billing_customers_of_account').on(customer.accountId)],
);

export const subscriptions = pgTable(
  'subscriptions',
  {
    id: uuid().primaryKey(),
    /** For a prepaid subscription: the way in which its first month was paid. */
    provider: text().$type<PaymentMethod>().notNull(),
    /** The provider's id; for a prepaid subscription `prepaid:<account>:<plan>`. */
    providerRef: text().notNull().unique(),
    customerId: text(),
    /** Null until the account is known. */
    accountId: ofAccount(),
    /** All that events have told so far. The columns below were derived from this at the last change. */
    facts: json<Facts>().notNull().default({}),
    plan: text().$type<PlanName>().notNull().default('FREE'),
    status: text().$type<SubscriptionStatus>().notNull().default('INCOMPLETE'),
    currentPeriodEnd: moment().notNull().defaultNow(),
    isTrial: boolean().notNull().default(false),
    trialEndsAt: moment(),
    cancelledAt: moment(),
    /** When the passing of time alone will change it. */
    changesAt: moment(),
    /** Until then a request of the account's owner changes it at the provider, and no other may. */
    changingUntil: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (subscription) => [
    index('subscriptions_of_account').on(subscription.accountId),
    index('subscriptions_waiting').on(subscription.customerId).where(sql`account_id is null`),
    index('subscriptions_to_change').on(subscription.changesAt),
  ],
);

/** Demands for payment of a plan. An expired one is deleted; a paid one stays. */
export const billingInvoices = pgTable(
  'billing_invoices',
  {
    id: uuid().primaryKey(),
    accountId: ofAccount().notNull(),
    plan: text().$type<PlanName>().notNull(),
    payWith: text().$type<PaymentMethod>().notNull(),
    amountCents: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    /** The provider's id of its checkout session or invoice; null where a balance paid it. */
    providerRef: text(),
    payUrl: text(),
    expiresAt: moment().notNull(),
    paidAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (invoice) => [
    index('billing_invoices_of_account').on(invoice.accountId, invoice.createdAt),
    index('billing_invoices_unpaid').on(invoice.expiresAt).where(sql`paid_at is null`),
  ],
);

export const billingCharges = pgTable(
  'billing_charges',
  {
    chargeId: text().primaryKey(),
    customerId: text(),
    accountId: ofAccount(),
    /** With this, a dispute that names only the charge finds what the charge paid for. */
    paymentIntent: text(),
    currency: text().notNull(),
    /** The largest amount of any event so far. Once the account is known, the ledger has credited as much. */
    refundedCents: bigint({ mode: 'number' }).notNull(),
  },
  (charge) => [
    index('billing_charges_of_account').on(charge.accountId),
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

/** Disputed charges. A dispute waits here until it is known what its charge paid for. */
export const billingDisputes = pgTable(
  'billing_disputes',
  {
    disputeId: text().primaryKey(),
    chargeId: text(),
    paymentIntent: text(),
    amountCents: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    /** The provider's last state. A closed dispute never becomes open again. */
    state: text().$type<DisputeState>().notNull(),
    /** The state that was applied last; null until it is known what the charge paid for. */
    applied: text().$type<DisputeState>(),
    /** No foreign key: the record stays when the account is deleted. */
    accountId: uuid(),
    /** The part of the buyer's credit that is held while the dispute is open. */
    heldCents: bigint({ mode: 'number' }).notNull().default(0),
    createdAt: moment().notNull().defaultNow(),
  },
  (dispute) => [
    index('billing_disputes_of_charge').on(dispute.chargeId),
    index('billing_disputes_of_intent').on(dispute.paymentIntent),
  ],
);

type NoticeKind = 'PAYMENT_FAILED' | 'PERIOD_ENDING';

/** Mails and alerts about money: one for each subject, however often its cause is reported. */
export const billingNotices = pgTable(
  'billing_notices',
  {
    id: uuid().primaryKey(),
    kind: text().$type<NoticeKind>().notNull(),
    /** The provider's invoice, or the period that ends. */
    subject: text().notNull(),
    accountId: ofAccount().notNull(),
    subscriptionId: partOf(() => subscriptions.id).notNull(),
    /** Null for a failed payment, whose mail is that of an alert. */
    sentAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (notice) => [
    unique('billing_notices_once').on(notice.kind, notice.subject),
    index('billing_notices_of_account').on(notice.accountId),
    index('billing_notices_of_subscription').on(notice.subscriptionId),
  ],
);

/** Double entry: the postings of a transaction add up to zero. A trigger checks this at commit. */
export const ledgerTransactions = pgTable('ledger_transactions', {
  id: uuid().primaryKey(),
  type: text().$type<LedgerType>().notNull(),
  /** The order, invoice, charge or payout that the transaction is about. */
  reference: text().notNull(),
  /** Unique name of a transaction that must not happen twice. */
  onceKey: text().unique(),
  createdAt: moment().notNull().defaultNow(),
});

export const ledgerPostings = pgTable(
  'ledger_postings',
  {
    /** Given under the balance's lock, so it is the order in which a balance changed. */
    seq: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    id: uuid().notNull(),
    transactionId: uuid()
      .notNull()
      .references(() => ledgerTransactions.id),
    /** `user:<account id>`, or an account of the platform or a provider, such as `provider:card`. */
    account: text().notNull(),
    /** No foreign key: deleting an account must not delete one side of a transaction. */
    accountId: uuid(),
    /** Set for a customer's account only. */
    pot: text().$type<LedgerPot>(),
    amountCents: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    /** The pot's balance after this posting. Customers only: a balance row that every payment locks would serialize them. */
    balanceCents: bigint({ mode: 'number' }),
  },
  (posting) => [
    index('ledger_postings_of_transaction').on(posting.transactionId),
    index('ledger_postings_of_account').on(posting.accountId, posting.seq),
    check('ledger_postings_pot', sql`(account_id is null) = (pot is null)`),
  ],
);

/** The balance of each pot of an account. It changes under a lock on this row. */
export const ledgerBalances = pgTable(
  'ledger_balances',
  {
    accountId: uuid().notNull(),
    currency: text().notNull(),
    pot: text().$type<LedgerPot>().notNull(),
    balanceCents: bigint({ mode: 'number' }).notNull(),
  },
  (balance) => [
    primaryKey({ columns: [balance.accountId, balance.currency, balance.pot] }),
    check('ledger_balances_credit', sql`pot <> 'CREDIT' or balance_cents >= 0`),
  ],
);

import type { BillingOutcome, PaymentProvider } from '@holdfast/contract';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { DisputeState } from '../rules.ts';

/** Money that arrived for an invoice or an order. */
export type Payment = {
  provider: PaymentProvider;
  /** The provider's id of the checkout that was paid; null where the event has none. */
  providerRef: string | null;
  /** The card provider's id that ties a charge to this payment. */
  paymentIntent: string | null;
  /** The reference that we gave to the provider. It comes back as any text. */
  paidFor: string;
  /** Null where they cannot be read, or it is not an exact number of cents: then nothing is paid. */
  amountCents: number | null;
  currency: string | null;
};

/** A payment that is not what was asked for. */
export type Mismatch = {
  /** Null if it was for a plan. */
  orderId: string | null;
  amountCents: number | null;
  currency: string | null;
};

/** What became of an event, and which account it belongs to. */
export type EventResult = {
  outcome: BillingOutcome;
  accountId: string | null;
  /** The provider's id of the subscription or charge that the event is about. */
  subjectRef?: string | null;
  /** What the account is told of a MISMATCH. */
  mismatch?: Mismatch | undefined;
};

/** A refund at the card provider. */
export type OrderRefund = {
  orderId: string | null;
  paymentIntent: string | null;
  chargeId: string;
  /** What was refunded since the last event about this charge. */
  amountCents: number;
  currency: string;
};

/** A change of a dispute about an order's payment: from the state that was applied last to the new one. */
export type OrderDispute = {
  intent: string;
  amountCents: number;
  currency: string;
  from: DisputeState | null;
  to: DisputeState;
  /** The part of the buyer's credit that is held because of this dispute. */
  heldCents: number;
  /** No other dispute of the same payment is open. */
  isOnlyOne: boolean;
};

/** An order or invoice whose payment is on its way, by a method that takes days. */
export type PaymentDelay = { paidFor: string };

/** An order or invoice that can no longer be paid. */
export type PaymentEnding = { paidFor: string; reason: 'expire' | 'fail' };

/**
 * Orders belong to the marketplace, a higher feature, so `main` hands these functions down. They run in the
 * event's transaction, and return undefined where the event is about no order.
 */
export type OrderPayments = {
  pay(tx: Transaction, eventId: string, payment: Payment): Promise<EventResult | undefined>;
  refund(tx: Transaction, eventId: string, refund: OrderRefund): Promise<EventResult | undefined>;
  dispute(
    tx: Transaction,
    events: string[],
    dispute: OrderDispute,
  ): Promise<{ accountId: string; heldCents: number } | undefined>;
  await(
    tx: Transaction,
    eventId: string,
    delay: PaymentDelay & { until: Date },
  ): Promise<EventResult | undefined>;
  end(tx: Transaction, eventId: string, ending: PaymentEnding): Promise<EventResult | undefined>;
  findBuyer(tx: Transaction, orderId: string): Promise<string | null>;
  /** What was ordered, for the page after paying. */
  describe(db: Queryable, orderId: string): Promise<OrderSummary | undefined>;
  /** The part of an account's earnings that has not cleared yet. */
  findClearing(db: Queryable, earnings: { accountId: string; currency: string }): Promise<number>;
};

type OrderSummary = {
  title: string;
  totalCents: number;
  currency: string;
  isPaid: boolean;
};

/** The actor of changes that a provider's event causes. */
export const billingActor = { type: 'BILLING', id: null } as const;

import type { BillingOutcome, PaymentProvider, PlanName } from '@holdfast/contract';
import type { Database, Transaction } from '../../db/connect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Queue } from '../../queue/queue.ts';
import type { DisputeState } from './table.ts';

export type BillingSettings = {
  /** Without it every request of the card provider is refused. */
  signingSecret: Secret | undefined;
  /** Price id → plan. */
  prices: Record<string, PlanName>;
  /** The name in the path of the cryptocurrency provider's requests. */
  cryptoProvider: string;
  merchantSecret: Secret | undefined;
  graceDays: number;
};

export type BillingTools = {
  db: Database;
  clock: Clock;
  log: Log;
  queue: Pick<Queue, 'enqueue'>;
  billing: BillingSettings;
  orders: OrderDesk;
};

export type WebhookTools = BillingTools & { isDatabaseReachable(): boolean; patience?: number };

/** Money that arrived for an invoice or an order of ours. */
export type Payment = {
  provider: PaymentProvider;
  /** The provider's id of what was paid there; null where it named none. */
  providerRef: string | null;
  /** By which the card provider ties a charge to it. */
  paymentIntent: string | null;
  /** Whatever the provider was given as its name: any text. */
  paidFor: string;
  /** Null where it is none that can be paid exactly; undefined where it is as it was asked for. */
  amountCents: number | null | undefined;
  currency: string | null | undefined;
};

/** What became of an event, and whose it is. */
export type Settlement = {
  outcome: BillingOutcome;
  accountId: string | null;
  /** The provider's id of the subscription or charge it is about. */
  subjectRef?: string | null;
};

/** Money that the card provider gave back, and what it said that it was for. */
export type OrderRefund = {
  orderId: string | null;
  paymentIntent: string | null;
  chargeId: string;
  /** Since it was last told of. */
  amountCents: number;
  currency: string;
};

/** A step of a dispute about a payment of an order, from what has had its effect so far. */
export type OrderDispute = {
  intent: string;
  amountCents: number;
  currency: string;
  from: DisputeState | null;
  to: DisputeState;
  /** What of the buyer's credit is held because of it. */
  heldCents: number;
  /** No other dispute of the same payment is open. */
  isOnlyOne: boolean;
};

/**
 * Orders are a higher room's, which is asked in the event's own transaction. Undefined where it has none
 * of that name.
 */
export type OrderDesk = {
  pay(tx: Transaction, eventId: string, payment: Payment): Promise<Settlement | undefined>;
  refund(tx: Transaction, eventId: string, refund: OrderRefund): Promise<Settlement | undefined>;
  dispute(
    tx: Transaction,
    events: string[],
    dispute: OrderDispute,
  ): Promise<{ accountId: string; heldCents: number } | undefined>;
  /** Nobody will pay it any more. */
  end(tx: Transaction, eventId: string, ending: OrderEnding): Promise<Settlement | undefined>;
  findBuyer(tx: Transaction, orderId: string): Promise<string | null>;
};

export type OrderEnding = { orderId: string; why: 'expire' | 'fail' };

/** The provider, as the audit log names it. */
export const billingActor = { type: 'BILLING', id: null } as const;

import type { BillingOutcome, PaymentProvider, PlanName } from '@holdfast/contract';
import type { Database, Transaction } from '../../db/connect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Queue } from '../../queue/queue.ts';

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
  payOrder: PayOrder;
};

export type WebhookTools = BillingTools & { isDatabaseReachable(): boolean };

/** Money that arrived for an invoice or an order of ours. */
export type Payment = {
  provider: PaymentProvider;
  /** Whatever the provider was given as its name: any text. */
  paidFor: string;
  /** Null where it is none that can be paid exactly; undefined where it is as it was asked for. */
  amountCents: number | null | undefined;
  currency: string | null | undefined;
};

/** What became of an event, and whose it is. */
export type Settlement = {
  outcome: BillingOutcome;
  userId: string | null;
  /** The provider's id of the subscription or charge it is about. */
  subjectRef?: string | null;
};

/** Orders are a higher room's: it pays the one of that id, if there is one. */
export type PayOrder = (tx: Transaction, payment: Payment) => Promise<Settlement | undefined>;

/** The provider, as the audit log names it. */
export const billingActor = { type: 'BILLING', id: null } as const;

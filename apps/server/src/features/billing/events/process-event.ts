import type { PlanName } from '@holdfast/contract';
import { type Database, markChanged, type Transaction } from '../../../db/connect.ts';
import { DatabaseUnreachable } from '../../../db/failures.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { withinDeadline } from '../../../kernel/deadline.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Reviver } from '../../../kernel/json.ts';
import { eventBounds, parseBoundedJson } from '../../../kernel/json-bounds.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Queue } from '../../../queue/queue.ts';
import { alertOfMismatch } from '../notices/notify.ts';
import { insertEvent, type NewEvent, storeEventResult } from '../queries/events.ts';
import type { BillingMetrics } from './metrics.ts';
import type { EventResult, OrderPayments } from './order-payments.ts';

export type BillingSettings = {
  /** Without it every event of the card provider is refused. */
  signingSecret: Secret | undefined;
  /** Price id → plan. */
  prices: Record<string, PlanName>;
  /** Part of the path to which the cryptocurrency provider sends its notifications. */
  cryptoProvider: string;
  merchantSecret: Secret | undefined;
  graceDays: number;
  /** How long after its sale a seller can neither pay out nor spend on listings what they earned. */
  earningsClearDays: number;
};

export type BillingDependencies = {
  db: Database;
  clock: Clock;
  log: Log;
  queue: Pick<Queue, 'enqueue'>;
  billing: BillingSettings;
  orders: OrderPayments;
};

export type WebhookDependencies = BillingDependencies & {
  isDatabaseReachable(): boolean;
  patience?: number;
  billingMetrics: BillingMetrics;
};

/** An event that takes longer is still applied; the provider sends it again, and that copy changes nothing. */
const deadlineMs = 4500;

export const maxEventBytes = 1024 * 1024;

export const invalidEvent = (message: string): HttpError => new HttpError(400, message);

export const parseJson = (body: Uint8Array, reviver?: Reviver): unknown => {
  const parsed = parseBoundedJson(body, eventBounds, reviver);
  if ('problem' in parsed) throw invalidEvent(`The body ${parsed.problem}`);
  return parsed.value;
};

/**
 * Applies an event exactly once. Its row is inserted first, in the transaction that applies it, so that of
 * all copies, over all processes, one gets further than the unique key. A failure rolls the row back, so
 * that the provider's next copy is applied.
 */
export const processEvent = (
  dependencies: WebhookDependencies,
  event: NewEvent,
  apply: (tx: Transaction) => Promise<EventResult>,
): Promise<void> => {
  const { db, log, isDatabaseReachable, billingMetrics, patience = 1 } = dependencies;
  if (!isDatabaseReachable()) throw new DatabaseUnreachable();
  const ms = deadlineMs * patience;
  return withinDeadline({ ms, lastMs: ms }, async () => {
    const result = await db.transaction(async (tx) => {
      const inserted = await insertEvent(tx, event);
      if (!inserted) return undefined;
      const applied = await apply(tx);
      await storeEventResult(tx, inserted, applied);
      const { accountId, mismatch } = applied;
      if (accountId !== null && mismatch && inserted.isNew) {
        await alertOfMismatch(tx, dependencies, { accountId, mismatch });
      }
      if (applied.accountId) markChanged(tx, { accountId: applied.accountId }, 'billing');
      return applied;
    });
    if (result) billingMetrics.countEvent(event.provider, result.outcome);
    if (result?.outcome !== 'UNMATCHED' && result?.outcome !== 'MISMATCH') return;
    const { outcome, accountId } = result;
    log.warn({ ...event, outcome, accountId }, 'a billing event changed nothing');
  });
};

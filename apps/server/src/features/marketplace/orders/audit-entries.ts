import type { AuditAction } from '@holdfast/contract';
import type { Actor } from '../../../http/handler.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import type { StoredOrder } from '../queries/orders.ts';

/** Why an order changes. */
export type Cause = {
  actor: Actor;
  /** The account that the actor belongs to. */
  accountId?: string;
  /** The provider's events that caused the change. */
  events?: string[];
};

type OrderChange = { action: AuditAction; changes: Record<string, unknown> };

/** The other party must not see the ids of the acting account's keys: it sees the system as the actor. */
const entryFor = (
  accountId: string,
  { id }: StoredOrder,
  { actor, accountId: actingAccountId, events }: Cause,
  { action, changes }: OrderChange,
): AuditedChange => ({
  accountId,
  actor: actingAccountId === undefined || actingAccountId === accountId ? actor : systemActor,
  action,
  subject: { type: 'order', id },
  changes: { ...(events && { events }), ...changes },
});

export const buyerEntry = (order: StoredOrder, cause: Cause, change: OrderChange): AuditedChange =>
  entryFor(order.buyerId, order, cause, change);

/** Changes of a paid order concern both parties. */
export const entriesForBoth = (order: StoredOrder, cause: Cause, change: OrderChange) =>
  [order.buyerId, order.sellerId].map((accountId) => entryFor(accountId, order, cause, change));

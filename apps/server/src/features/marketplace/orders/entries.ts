import type { Actor } from '../../../http/handler.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { system } from '../tools.ts';
import type { StoredOrder } from './queries.ts';

export type Cause = {
  actor: Actor;
  /** Whose key it was, where it was one's. */
  accountId?: string;
  /** The provider's events that this is the effect of. */
  events?: string[];
};

type What = { action: string; changes: Record<string, unknown> };

/** Whose keys there are is nobody else's to know. */
const entryFor = (
  accountId: string,
  { id }: StoredOrder,
  { actor, accountId: actedBy, events }: Cause,
  { action, changes }: What,
): AuditedChange => ({
  accountId,
  actor: actedBy === undefined || actedBy === accountId ? actor : system,
  action,
  subject: { type: 'order', id },
  changes: { ...(events && { events }), ...changes },
});

export const buyerEntry = (order: StoredOrder, cause: Cause, what: What): AuditedChange =>
  entryFor(order.buyerId, order, cause, what);

/** What happens to an order that is paid for is both parties' matter. */
export const bothEntries = (order: StoredOrder, cause: Cause, what: What): AuditedChange[] =>
  [order.buyerId, order.sellerId].map((accountId) => entryFor(accountId, order, cause, what));

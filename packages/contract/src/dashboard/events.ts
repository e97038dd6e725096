import { dashboardApiPrefix } from '../endpoint.ts';

/**
 * The stream of events (text/event-stream) that tells a page of the dashboard which part of the account
 * has changed, and never what: the page reads it again by the usual operations.
 *
 *     data: {"topics":["backups:0191d3a0-5b7e-7c3a-9b1e-d77db181ded2","audit"]}
 */
export const eventsPath = `${dashboardApiPrefix}/events`;

/** What can change while a page shows it. */
export type ChangeTopic =
  | 'account'
  | 'alerts'
  | 'appeals'
  | 'audit'
  | 'backups'
  | 'billing'
  | 'blacklist'
  | 'bots'
  | 'firewall'
  | 'keys'
  | 'listings'
  | 'members'
  | 'orders'
  | 'pulls'
  | 'restores'
  | 'servers'
  | 'whitelist';

/** A topic as it is sent: with the id of a server, it is about that server alone. */
export type SentTopic = ChangeTopic | `${ChangeTopic}:${string}` | typeof everyTopic;

/** Changes may have been missed: everything has to be read again. */
export const everyTopic = 'all';

export type ChangeEvent = { topics: SentTopic[] };

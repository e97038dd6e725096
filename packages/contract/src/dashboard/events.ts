import { dashboardApiPrefix } from '../endpoint.ts';

/**
 * The stream of events (text/event-stream) that tells a page of the dashboard which part of the account
 * has changed, and never what: the page reads it again by the usual operations.
 *
 *     data: {"topics":["backups:0191d3a0-5b7e-7c3a-9b1e-d77db181ded2","audit"]}
 */
export const eventsPath = `${dashboardApiPrefix}/events`;

/** What belongs to one server. */
export const serverTopics = [
  'appeals',
  'backups',
  'firewall',
  'incidents',
  'massVerifications',
  'members',
  'panels',
  'protection',
  'pulls',
  'restores',
  'servers',
  'whitelist',
] as const;
export type ServerTopic = (typeof serverTopics)[number];

/** What can change while a page shows it. */
export type ChangeTopic =
  | ServerTopic
  | 'account'
  | 'alerts'
  | 'audit'
  | 'billing'
  | 'blacklist'
  | 'bots'
  | 'keys'
  | 'listings'
  | 'orders';

/** Changes may have been missed: everything has to be read again. */
export const everyTopic = 'all';

/** A topic as it is sent; with the id of a server it is about that one alone. */
export type SentTopic = ChangeTopic | `${ServerTopic}:${string}` | typeof everyTopic;

export type ChangeEvent = { topics: SentTopic[] };

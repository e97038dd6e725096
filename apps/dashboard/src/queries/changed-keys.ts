import type { ChangeTopic, SentTopic } from '@holdfast/contract';
import type { QueryKey } from '@tanstack/react-query';
import { queryKeys } from './query-keys.ts';

/** The keys of the server that the topic names, or of all servers. */
type Scope = (key: (serverId: string) => string[]) => QueryKey;

const { overview, server } = queryKeys;
const backup = (serverId: string) => queryKeys.backup(serverId, '').slice(0, 2);
const firewall = (serverId: string) => queryKeys.rules(serverId, 'firewall');
const whitelist = (serverId: string) => queryKeys.rules(serverId, 'whitelist');

/** The part of a key that is the same for all ids. */
const ofAll: Scope = (key) => key('').slice(0, 1);
/** Their keys do not name the server. */
const botSetup = ofAll(queryKeys.botSetup);
const incident = ofAll(queryKeys.incident);
const order = ofAll(queryKeys.order);
const pull = ofAll(queryKeys.pull);
const restore = ofAll(queryKeys.restore);

/** What pages show of each topic: another topic does not compile without its keys. */
const keysOf: Record<ChangeTopic, (of: Scope) => QueryKey[]> = {
  account: () => [queryKeys.account],
  alerts: () => [queryKeys.alerts, queryKeys.alertSettings],
  appeals: (of) => [of(queryKeys.appeals), overview],
  audit: () => [queryKeys.audit],
  backups: (of) => [
    ...[of(queryKeys.backups), of(backup), queryKeys.backupUsage],
    ...[of(server), queryKeys.servers, overview],
  ],
  billing: () => [queryKeys.ledger, queryKeys.billingEvents, queryKeys.account],
  blacklist: () => [queryKeys.blacklist],
  bots: (of) => [
    ...[queryKeys.bots, botSetup, queryKeys.account],
    ...[of(server), queryKeys.servers, overview],
  ],
  firewall: (of) => [of(firewall), of(server)],
  incidents: (of) => [of(queryKeys.incidents), incident, of(server), overview],
  keys: () => [queryKeys.apiKeys],
  listings: () => [queryKeys.listings],
  massVerifications: (of) => [of(queryKeys.massVerifications)],
  members: (of) => [
    of(queryKeys.members),
    of(queryKeys.lostMembers),
    of(server),
    queryKeys.servers,
    overview,
  ],
  orders: () => [queryKeys.orders, order, queryKeys.ledger],
  panels: (of) => [of(queryKeys.panels), overview],
  protection: (of) => [of(queryKeys.protection), of(queryKeys.drills)],
  pulls: (of) => [of(queryKeys.pulls), pull, of(server), overview],
  restores: (of) => [of(queryKeys.restores), restore, of(server), overview],
  servers: (of) => [
    ...[queryKeys.servers, queryKeys.account, of(server), overview],
    of(queryKeys.verifyPage),
  ],
  whitelist: (of) => [of(whitelist), of(server)],
};

const keysOfOne = (sent: SentTopic): QueryKey[] => {
  if (sent === 'all') return Object.values(keysOf).flatMap((keys) => keys(ofAll));
  const [topic, serverId] = sent.split(':');
  // A page that is older than the service does not know its new topics.
  const keys = Object.entries(keysOf).find(([name]) => name === topic)?.[1];
  const of: Scope = serverId === undefined ? ofAll : (key) => key(serverId);
  return keys?.(of) ?? [];
};

/** The keys of what has to be read again, each once. */
export const keysChangedBy = (topics: Iterable<SentTopic>): QueryKey[] => {
  const keys = [...topics].flatMap(keysOfOne);
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
};

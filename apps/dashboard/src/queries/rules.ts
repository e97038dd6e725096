import type { Input } from '@holdfast/sdk/dashboard';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import type { Rule } from './records.ts';
import { keepWithin, refetchMs, unlessLive } from './refetch.ts';

type NewRule = Input<'createFirewallRule'>['body'];

/** Firewall and whitelist are the same page over two lists. */
export type RuleList = {
  name: 'firewall' | 'whitelist';
  list: (id: string) => Promise<Rule[]>;
  add: (id: string, body: NewRule) => Promise<Rule>;
  remove: (id: string, ruleId: string) => Promise<unknown>;
};

export const firewallRules: RuleList = {
  name: 'firewall',
  list: (id) => api.listFirewallRules({ params: { id } }),
  add: (id, body) => api.createFirewallRule({ params: { id }, body }),
  remove: (id, ruleId) => api.deleteFirewallRule({ params: { id }, query: { ruleId } }),
};

export const whitelistRules: RuleList = {
  name: 'whitelist',
  list: (id) => api.listWhitelistRules({ params: { id } }),
  add: (id, body) => api.createWhitelistRule({ params: { id }, body }),
  remove: (id, ruleId) => api.deleteWhitelistRule({ params: { id }, query: { ruleId } }),
};

export const rulesQuery = (serverId: string, list: RuleList) =>
  queryOptions({
    queryKey: queryKeys.rules(serverId, list.name),
    queryFn: () => list.list(serverId),
    refetchInterval: () => unlessLive(refetchMs.slow),
  });

/** What changes with a rule: the server counts its rules. */
export const changedByRule = (serverId: string, list: RuleList) => [
  queryKeys.rules(serverId, list.name),
  queryKeys.server(serverId),
];

export const blacklistQuery = (page: number) =>
  queryOptions({
    queryKey: [...queryKeys.blacklist, page],
    queryFn: () => api.listNamedBlacklist({ query: { page, limit: 50 } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.slow),
  });

/** The oldest that fit on a page; when they are decided, the next ones follow. */
export const openAppealsQuery = (serverId: string) =>
  queryOptions({
    queryKey: [...queryKeys.appeals(serverId), 'open'],
    queryFn: () =>
      api.findAppeals({
        params: { id: serverId },
        query: { isOpen: true, page: 1, limit: 50 },
      }),
    refetchInterval: () => unlessLive(refetchMs.live),
  });

export const decidedAppealsQuery = (serverId: string, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.appeals(serverId), 'decided', page],
    queryFn: () =>
      api.findAppeals({ params: { id: serverId }, query: { isOpen: false, page, limit: 20 } }),
    placeholderData: keepWithin(serverId),
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

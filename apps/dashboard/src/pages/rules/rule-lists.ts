import type { Input } from '@holdfast/sdk';
import { api } from '../../api.ts';
import type { Rule } from './find-rules.ts';

export type NewRule = Input<'createFirewallRule'>['body'];

/** Firewall and whitelist are the same page over two lists. */
export type RuleList = {
  name: 'firewall' | 'whitelist';
  list: (id: string) => Promise<Rule[]>;
  add: (id: string, body: NewRule) => Promise<Rule>;
  remove: (id: string, ruleId: string) => Promise<unknown>;
};

export const firewallList: RuleList = {
  name: 'firewall',
  list: (id) => api.listFirewallRules({ params: { id } }),
  add: (id, body) => api.createFirewallRule({ params: { id }, body }),
  remove: (id, ruleId) => api.deleteFirewallRule({ params: { id }, query: { ruleId } }),
};

export const whitelistList: RuleList = {
  name: 'whitelist',
  list: (id) => api.listWhitelistRules({ params: { id } }),
  add: (id, body) => api.createWhitelistRule({ params: { id }, body }),
  remove: (id, ruleId) => api.deleteWhitelistRule({ params: { id }, query: { ruleId } }),
};

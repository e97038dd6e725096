import { endpoint } from './endpoint.ts';
import { ruleEndpoints } from './rule.ts';

const entries = ruleEndpoints('firewall', 'Firewall', 'delete');

/** A plan without firewall may look at and clear its rules, not add to them. */
export const firewallEndpoints = {
  listFirewallRules: entries.list,
  createFirewallRule: endpoint({ ...entries.create, feature: 'hasFirewall' }),
  deleteFirewallRule: entries.delete,
};

import { ruleTable } from '../rules/table.ts';

export const firewallRules = ruleTable('firewall_rules');

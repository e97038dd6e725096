import { ruleTable } from '../rules/table.ts';

export const whitelistRules = ruleTable('whitelist_rules');

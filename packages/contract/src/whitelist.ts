import { ruleEndpoints } from './rule.ts';

const entries = ruleEndpoints('whitelist', 'Whitelist', 'create');

export const whitelistEndpoints = {
  listWhitelistRules: entries.list,
  createWhitelistRule: entries.create,
  deleteWhitelistRule: entries.delete,
};

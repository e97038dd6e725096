import { ruleList } from '../rules/feature.ts';
import { whitelistHandlers } from './routes.ts';
import { whitelistRules } from './table.ts';

/**
 * The whitelist of a server: newcomers who match one of its rules pass every check but the blacklist.
 *
 * Its table and endpoints are those of every list of rules (`rules/`); `verification/rules.ts`
 * decides by it.
 */
export const whitelist = { handlers: whitelistHandlers, ...ruleList(whitelistRules) };

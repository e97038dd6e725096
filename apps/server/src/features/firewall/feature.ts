import { ruleList } from '../rules/feature.ts';
import { firewallHandlers } from './routes.ts';
import { firewallRules } from './table.ts';

/**
 * The firewall of a server: newcomers who match one of its rules are blocked, if the server has it enabled and the
 * plan includes it.
 *
 * Its table and endpoints are those of every list of rules (`rules/`); `verification/rules.ts`
 * decides by it.
 */
export const firewall = { handlers: firewallHandlers, ...ruleList(firewallRules) };

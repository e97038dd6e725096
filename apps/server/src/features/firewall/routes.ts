import type { firewallEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { ruleHandlers } from '../rules/routes.ts';
import { firewallRules } from './table.ts';

const handlers = ruleHandlers(firewallRules, 'firewallRule');

export const firewallHandlers: Handlers<typeof firewallEndpoints> = {
  listFirewallRules: handlers.list,
  createFirewallRule: handlers.create,
  deleteFirewallRule: handlers.delete,
};

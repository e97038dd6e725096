import type { whitelistEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { ruleHandlers } from '../rules/routes.ts';
import { whitelistRules } from './table.ts';

const handlers = ruleHandlers(whitelistRules, 'whitelistRule');

export const whitelistHandlers: Handlers<typeof whitelistEndpoints> = {
  listWhitelistRules: handlers.list,
  createWhitelistRule: handlers.create,
  deleteWhitelistRule: handlers.delete,
};

import type { Queryable } from '../../db/connect.ts';
import { purgeByServer } from '../../db/queries/purge-rows.ts';
import { countRules } from './queries.ts';
import type { RuleTable } from './table.ts';

/**
 * Lists of rules about newcomers. The firewall and the whitelist of a server are such lists, each
 * with its own table (`table.ts`) and endpoints (`routes.ts`).
 *
 * `rules.ts` matches rules with what is known about a newcomer; `verification` decides what follows.
 */
export const ruleList = (table: RuleTable) => ({
  countRules: (db: Queryable, server: { id: string; accountId: string }) =>
    countRules(db, table, server),
  purgeServer: [purgeByServer(table, table.id)],
});

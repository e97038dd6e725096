import type { RuleType } from '@holdfast/contract';
import { firewallRules } from '../../firewall/table.ts';
import { hasRule, listRules } from '../../rules/queries.ts';
import { compileRules } from '../../rules/rules.ts';
import type { RuleTable } from '../../rules/table.ts';
import { whitelistRules } from '../../whitelist/table.ts';
import type { PageRequest } from '../pages/page-context.ts';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import { needsGuilds, type Ruleset } from '../rules.ts';

type ServerRules = Pick<PageRequest, 'db' | 'limitsOf' | 'server'>;
type MetRules = PendingVerification['metRules'];

/**
 * The person's guilds are not stored, only whether they match the SERVER_ID rules. `metRules` is that
 * answer, and takes the place of the guilds.
 */
export const loadRuleset = async (
  { db, limitsOf, server }: ServerRules,
  metRules?: MetRules,
): Promise<Ruleset> => {
  const [whitelist, firewall] = await Promise.all([
    listRules(db, whitelistRules, server),
    listRules(db, firewallRules, server),
  ]);
  return {
    server,
    plan: limitsOf(server.plan),
    whitelist: compileRules(whitelist, metRules?.whitelist),
    firewall: compileRules(firewall, metRules?.firewall),
  };
};

/** Whether newcomers are asked which guilds they are in. Read at every visit, so not from whole lists. */
export const needsGuildScope = async ({ db, limitsOf, server }: ServerRules): Promise<boolean> => {
  const typesOf = async (table: RuleTable) => {
    const types: RuleType[] = (await hasRule(db, table, server, 'SERVER_ID')) ? ['SERVER_ID'] : [];
    return { types: new Set(types) };
  };
  const [whitelist, firewall] = await Promise.all([
    typesOf(whitelistRules),
    typesOf(firewallRules),
  ]);
  return needsGuilds({ server, plan: limitsOf(server.plan), whitelist, firewall });
};

export const matchGuildRules = (
  { whitelist, firewall }: Ruleset,
  guildIds: string[],
): MetRules => ({
  whitelist: whitelist.matchesGuilds(guildIds),
  firewall: firewall.matchesGuilds(guildIds),
});

import { firewallRules } from '../../firewall/table.ts';
import { listRules } from '../../rules/queries.ts';
import type { RuleTable } from '../../rules/table.ts';
import { whitelistRules } from '../../whitelist/table.ts';
import { compileRules, type Rule } from '../match-rule.ts';
import type { StoredPassage } from '../passages/queries.ts';
import { type Door, hasServerIdRule } from '../queries.ts';
import { needsGuilds, type Ruleset } from '../rules.ts';
import type { VerificationTools } from '../tools.ts';

type Tools = Pick<VerificationTools, 'db' | 'limitsOf'>;
type MetRules = StoredPassage['metRules'];

export const loadRuleset = async (tools: Tools, door: Door): Promise<Ruleset> =>
  rulesetOf(tools, door, await loadRules(tools, door));

/** Whether newcomers are asked which servers they are in. */
export const asksGuilds = async (tools: Tools, door: Door): Promise<boolean> => {
  const listOf = async (table: RuleTable): Promise<Rule[]> =>
    (await hasServerIdRule(tools.db, table, door)) ? [{ type: 'SERVER_ID', value: inNoGuild }] : [];
  const [whitelist, firewall] = await Promise.all([listOf(whitelistRules), listOf(firewallRules)]);
  return needsGuilds(rulesetOf(tools, door, { whitelist, firewall }));
};

/** Which of the SERVER_ID rules are met by somebody who is in these guilds. */
export const meetRules = ({ whitelist, firewall }: Ruleset, guildIds: string[]): MetRules => {
  const isMet = (rules: Ruleset['whitelist']) => rules.match(onlyGuilds(guildIds)) !== undefined;
  return { whitelist: isMet(whitelist), firewall: isMet(firewall) };
};

const inMetGuild = '1';
const inNoGuild = '0';

/**
 * The person's guilds were looked at once and not kept, only whether they met the rules. So those
 * rules stand here for that answer: each list has one, met by the one guild that stands for them all.
 */
export const loadRulesetFor = async (tools: Tools, door: Door, { metRules }: StoredPassage) => {
  const { whitelist, firewall } = await loadRules(tools, door);
  return {
    ruleset: rulesetOf(tools, door, {
      whitelist: answered(whitelist, metRules.whitelist),
      firewall: answered(firewall, metRules.firewall),
    }),
    guildIds: metRules.isUnknown ? null : [inMetGuild],
  };
};

const answered = (rules: Rule[], isMet: boolean): Rule[] => {
  const others = rules.filter((rule) => !isServerId(rule));
  if (others.length === rules.length) return rules;
  return [...others, { type: 'SERVER_ID', value: isMet ? inMetGuild : inNoGuild }];
};

const isServerId = ({ type }: Rule): boolean => type === 'SERVER_ID';

const onlyGuilds = (guildIds: string[]) => ({
  platformId: '',
  address: '',
  country: null,
  region: null,
  asn: null,
  fingerprint: null,
  guildIds,
});

type Lists = { whitelist: Rule[]; firewall: Rule[] };

const loadRules = async ({ db }: Tools, door: Door): Promise<Lists> => {
  const [whitelist, firewall] = await Promise.all([
    listRules(db, whitelistRules, door),
    listRules(db, firewallRules, door),
  ]);
  return { whitelist, firewall };
};

const rulesetOf = ({ limitsOf }: Tools, door: Door, { whitelist, firewall }: Lists): Ruleset => ({
  server: door,
  plan: limitsOf(door.plan),
  whitelist: compileRules(whitelist),
  firewall: compileRules(firewall),
});

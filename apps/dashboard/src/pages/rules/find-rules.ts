import type { RuleType } from '@holdfast/contract';
import type { Output } from '@holdfast/sdk';
import { countryWords } from './countries.ts';

export type Rule = Output<'listFirewallRules'>[number];

export type RuleFilter = { search: string; type: RuleType | null };

export const ruleWords = ({ type, value }: Pick<Rule, 'type' | 'value'>): string => {
  if (type === 'COUNTRY') return countryWords(value);
  return type === 'ASN' ? `AS${value}` : value;
};

/** Those of a type whose value or note has the text in it, however it is written. */
export const findRules = (rules: Rule[], { search, type }: RuleFilter): Rule[] => {
  const wanted = search.trim().toLowerCase();
  return rules.filter((rule) => {
    if (type !== null && rule.type !== type) return false;
    return `${ruleWords(rule)}\n${rule.note ?? ''}`.toLowerCase().includes(wanted);
  });
};

import type { BlockReason, RuleType } from '@holdfast/contract';
import type { Rule } from '../queries/records.ts';
import { countryLabel } from './countries.ts';
import { keysOf } from './format.ts';

export type RuleFilter = { search: string; type: RuleType | null };

export const ruleLabel = ({ type, value }: Pick<Rule, 'type' | 'value'>): string => {
  if (type === 'COUNTRY') return countryLabel(value);
  return type === 'ASN' ? `AS${value}` : value;
};

/** The rules of a type whose value or note contains the text, in any case. */
export const findRules = (rules: Rule[], { search, type }: RuleFilter): Rule[] => {
  const text = search.trim().toLowerCase();
  return rules.filter((rule) => {
    if (type !== null && rule.type !== type) return false;
    return `${ruleLabel(rule)}\n${rule.note ?? ''}`.toLowerCase().includes(text);
  });
};

type RuleTypeLabels = {
  label: string;
  /** Whom a rule of this type matches. */
  about: string;
  /** What its value is called. */
  value: string;
  example: string;
};

/** From one person to a whole country. */
export const ruleTypeLabels: Record<RuleType, RuleTypeLabels> = {
  USER_ID: {
    label: 'Person',
    about: 'One account on the platform.',
    value: 'Platform ID of the person',
    example: '175928847299117063',
  },
  FINGERPRINT: {
    label: 'Device',
    about: 'Everybody who uses this device. The fingerprint is on the member’s record.',
    value: 'Fingerprint',
    example: 'k3x9Qm_7fT2w',
  },
  IP: {
    label: 'Address',
    about: 'One internet address, or a block of them.',
    value: 'Address or CIDR block',
    example: '203.0.113.0/24',
  },
  SERVER_ID: {
    label: 'Server they are in',
    about: 'Everybody who is a member of another server on the platform.',
    value: 'Platform ID of that server',
    example: '812345678901234567',
  },
  ASN: {
    label: 'Network',
    about: 'Everybody who connects through one provider’s network.',
    value: 'AS number',
    example: 'AS64500',
  },
  REGION: {
    label: 'Region',
    about: 'A part of a country, if the operator’s location data has regions.',
    value: 'Region',
    example: 'US-CA',
  },
  COUNTRY: {
    label: 'Country',
    about: 'Everybody whose address belongs to one country.',
    value: 'Country',
    example: 'Iceland (IS)',
  },
};

export const isRuleType = (type: unknown): type is RuleType =>
  keysOf(ruleTypeLabels).some((known) => known === type);

export const ruleTypeChoices = keysOf(ruleTypeLabels).map((value) => ({
  value,
  label: ruleTypeLabels[value].label,
}));

/** Why a newcomer was blocked, and what letting them in would mean. */
export const blockReasonLabels: Record<BlockReason, { label: string; about: string }> = {
  BLACKLIST: {
    label: 'Blacklist',
    about: 'They are on your blacklist, which overrules the whitelist: remove them from it too.',
  },
  FIREWALL: { label: 'Firewall', about: 'A rule of your firewall matches them.' },
  VPN: { label: 'VPN', about: 'Their connection looks like a VPN or a hosting network.' },
  ALT: {
    label: 'Second account',
    about:
      'Somebody was verified from their device or connection before. People who share a home look the same.',
  },
  ACCOUNT_AGE: { label: 'Account age', about: 'Their account is younger than you require.' },
  CAPTCHA: { label: 'Captcha', about: 'Their browser did not solve its task.' },
};

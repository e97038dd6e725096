import type { RuleType } from '@holdfast/contract';
import { ipWords } from '../../kernel/ip-words.ts';

/** Of a rule only these are looked at; its value is in the canonical form that the contract makes. */
export type Rule = { type: RuleType; value: string };

/** What rules are held against. Null: not known. */
export type RuleFacts = {
  platformId: string;
  address: string;
  country: string | null;
  region: string | null;
  asn: number | null;
  fingerprint: string | null;
  guildIds: readonly string[] | null;
};

export type CompiledRules<R extends Rule = Rule> = {
  /** The types of which there is a rule. */
  readonly types: ReadonlySet<RuleType>;
  /** One rule that fits, the most particular kind first. */
  match(facts: RuleFacts): R | undefined;
};

/** From one person to a whole country. */
const byParticularity = [
  'USER_ID',
  'FINGERPRINT',
  'IP',
  'SERVER_ID',
  'ASN',
  'REGION',
  'COUNTRY',
] as const satisfies RuleType[];

/** Sorts rules into maps once, so that ten thousand of them are matched as fast as one. */
export const compileRules = <R extends Rule>(rules: readonly R[]): CompiledRules<R> => {
  const byValue = new Map<RuleType, Map<string, R>>();
  for (const rule of rules) {
    const values = byValue.get(rule.type) ?? new Map<string, R>();
    byValue.set(rule.type, values.set(rule.value, rule));
  }
  const findBlock = compileBlocks([...(byValue.get('IP')?.values() ?? [])]);
  const findOf = (type: RuleType, facts: RuleFacts): R | undefined => {
    if (type === 'IP') return findBlock(facts.address);
    const values = byValue.get(type);
    const known = values && valuesOf(type, facts)?.find((value) => values.has(value));
    return known === undefined ? undefined : values?.get(known);
  };

  return {
    types: new Set(byValue.keys()),
    match(facts) {
      for (const type of byParticularity) {
        const rule = findOf(type, facts);
        if (rule) return rule;
      }
      return undefined;
    },
  };
};

/** Whether the facts have what rules of this type are compared with. */
export const isKnown = (type: RuleType, facts: RuleFacts): boolean =>
  type === 'IP' ? ipWords(facts.address) !== undefined : valuesOf(type, facts) !== null;

/** What rules of a type are compared with, in their canonical form; null where it is not known. */
const valuesOf = (type: Exclude<RuleType, 'IP'>, facts: RuleFacts): string[] | null => {
  switch (type) {
    case 'USER_ID':
      return [canonicalId(facts.platformId)];
    case 'SERVER_ID':
      return facts.guildIds?.map(canonicalId) ?? null;
    case 'ASN':
      return facts.asn === null ? null : [String(facts.asn)];
    case 'FINGERPRINT':
      return single(facts.fingerprint);
    case 'COUNTRY':
      return single(facts.country);
    case 'REGION':
      return single(facts.region);
  }
};

const single = (value: string | null): string[] | null => (value === null ? null : [value]);

const canonicalId = (id: string): string => id.replace(/^0+(?=\d)/, '');

type Network = number | bigint;
type Blocks<R> = { prefix: number; width: number; byNetwork: Map<Network, R> };

/**
 * Blocks of one length are a map from their leading bits, so an address is looked up once for each
 * length that occurs, the longest first: the narrowest block is the one that is found.
 */
const compileBlocks = <R extends Rule>(
  rules: readonly R[],
): ((address: string) => R | undefined) => {
  const lengths = new Map<string, Blocks<R>>();
  for (const rule of rules) {
    const [address = '', prefixText] = rule.value.split('/');
    const words = ipWords(address);
    if (!words) continue;
    const width = words.length * 32;
    const prefix = prefixText === undefined ? width : Number(prefixText);
    const key = `${width}/${prefix}`;
    const blocks = lengths.get(key) ?? { prefix, width, byNetwork: new Map<Network, R>() };
    blocks.byNetwork.set(networkOf(numberOf(words), blocks), rule);
    lengths.set(key, blocks);
  }
  const longestFirst = [...lengths.values()].sort((a, b) => b.prefix - a.prefix);

  return (address) => {
    const words = longestFirst.length > 0 ? ipWords(address) : undefined;
    if (!words) return undefined;
    const number = numberOf(words);
    for (const blocks of longestFirst) {
      if (blocks.width !== words.length * 32) continue;
      const rule = blocks.byNetwork.get(networkOf(number, blocks));
      if (rule) return rule;
    }
    return undefined;
  };
};

/** IPv4 fits a number, which is ten times as fast. */
const numberOf = (words: Uint32Array): Network =>
  words.length === 1
    ? (words[0] ?? 0)
    : words.reduce((number, word) => (number << 32n) | BigInt(word), 0n);

const networkOf = (address: Network, { prefix, width }: { prefix: number; width: number }) => {
  if (typeof address === 'bigint') return address >> BigInt(width - prefix);
  // Shifting by 32 would shift by nothing.
  return prefix === 0 ? 0 : address >>> (width - prefix);
};

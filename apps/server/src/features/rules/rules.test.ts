import { describe, expect, test } from 'bun:test';
import { BlockList, isIPv6 } from 'node:net';
import { canonicalIp, newRule, type RuleType, ruleTypes } from '@holdfast/contract';
import fc from 'fast-check';
import { expectBelow } from '../../../test/harness/bounds.ts';
import { compileRules, type Rule, type RuleFacts } from './rules.ts';

const nobody: RuleFacts = {
  platformId: '1',
  address: '203.0.113.7',
  country: null,
  region: null,
  asn: null,
  fingerprint: null,
  guildIds: null,
};

/** As the API would store it. */
const ruleOf = (type: RuleType, value: string): Rule => newRule.parse({ type, value });

describe('a rule matches', () => {
  test.each<[RuleType, string, Partial<RuleFacts>]>([
    ['IP', '203.0.113.7', {}],
    ['IP', '203.0.113.0/24', {}],
    ['IP', '::ffff:203.0.113.7', {}],
    ['IP', '203.0.113.7', { address: '::ffff:203.0.113.7' }],
    ['IP', '::ffff:203.0.113.0/120', {}],
    ['IP', '0.0.0.0/0', {}],
    ['IP', '2001:DB8::/32', { address: '2001:db8:ffff::1' }],
    ['IP', '2001:db8::1', { address: '2001:0db8:0:0::1' }],
    ['IP', '::/0', { address: '2001:db8::1' }],
    ['COUNTRY', 'de', { country: 'DE' }],
    ['ASN', 'AS64500', { asn: 64500 }],
    ['FINGERPRINT', 'abcd_EFG-1', { fingerprint: 'abcd_EFG-1' }],
    ['USER_ID', '00175928847299117063', { platformId: '175928847299117063' }],
    ['USER_ID', '175928847299117063', { platformId: '00175928847299117063' }],
    ['SERVER_ID', '42', { guildIds: ['41', '42'] }],
    ['REGION', 'us-ca', { region: 'US-CA' }],
  ])('%s %s', (type, value, facts) => {
    const rule = ruleOf(type, value);
    expect(compileRules([rule]).match({ ...nobody, ...facts })).toBe(rule);
  });
});

describe('a rule does not match', () => {
  test.each<[RuleType, string, Partial<RuleFacts>]>([
    ['IP', '203.0.114.0/24', {}],
    ['IP', '203.0.113.8/31', {}],
    ['IP', '::/0', {}],
    ['IP', '0.0.0.0/0', { address: '2001:db8::1' }],
    ['IP', '0.0.0.0/0', { address: 'unknown' }],
    ['COUNTRY', 'DE', {}],
    ['ASN', '64500', { asn: 6450 }],
    ['FINGERPRINT', 'abcd_EFG-1', { fingerprint: 'abcd_efg-1' }],
    ['SERVER_ID', '42', { guildIds: [] }],
    ['SERVER_ID', '42', { platformId: '42' }],
    ['REGION', 'CALIFORNIA', { region: 'US-CA' }],
  ])('%s %s', (type, value, facts) => {
    expect(compileRules([ruleOf(type, value)]).match({ ...nobody, ...facts })).toBeUndefined();
  });
});

test('of several rules that match, the most specific one is returned', () => {
  const rules = [
    ruleOf('COUNTRY', 'DE'),
    ruleOf('IP', '203.0.0.0/8'),
    ruleOf('IP', '203.0.113.0/24'),
    ruleOf('USER_ID', '1'),
  ];
  const facts = { ...nobody, country: 'DE' };
  expect(compileRules(rules).match(facts)?.value).toBe('1');
  expect(compileRules(rules.slice(0, 3)).match(facts)?.value).toBe('203.0.113.0/24');
  expect(compileRules(rules.slice(0, 1)).match(facts)?.value).toBe('DE');
});

test('blocks of IPv4 and IPv6 with prefixes of one length are kept apart', () => {
  const blocks = compileRules([ruleOf('IP', '203.0.113.0/24'), ruleOf('IP', '2001:d00::/24')]);
  expect(blocks.match(nobody)?.value).toBe('203.0.113.0/24');
  expect(blocks.match({ ...nobody, address: '2001:dff::1' })?.value).toBe('2001:d00::/24');
  expect(blocks.match({ ...nobody, address: '2001:e00::1' })).toBeUndefined();
});

/** One rule after the other, with the runtime's own matching of blocks. */
const fits = ({ type, value }: Rule, facts: RuleFacts): boolean => {
  if (type === 'IP') return isWithin(value, facts.address);
  const held: Record<Exclude<RuleType, 'IP'>, unknown[]> = {
    COUNTRY: [facts.country],
    REGION: [facts.region],
    ASN: [String(facts.asn)],
    FINGERPRINT: [facts.fingerprint],
    USER_ID: [facts.platformId],
    SERVER_ID: [...(facts.guildIds ?? [])],
  };
  return held[type].includes(value);
};

const isWithin = (block: string, address: string): boolean => {
  const [network = '', prefix] = block.split('/');
  const canonical = canonicalIp(address) ?? '';
  const familyOf = (text: string) => (isIPv6(text) ? 'ipv6' : 'ipv4');
  if (familyOf(network) !== familyOf(canonical)) return false;
  const list = new BlockList();
  const width = isIPv6(network) ? 128 : 32;
  list.addSubnet(network, Number(prefix ?? width), familyOf(network));
  return list.check(canonical, familyOf(canonical));
};

/** Few values, so that rules and facts match often. */
const somewhere = fc.oneof(
  fc.constantFrom('203.0.113.7', '203.0.113.8', '0.0.0.0', '255.255.255.255', '::ffff:1.2.3.4'),
  fc.constantFrom('::', '2001:db8::1', '2001:db8:8000::', 'ffff:ffff::ffff'),
  fc.ipV4(),
  fc.ipV6(),
);
const block = fc.tuple(somewhere, fc.nat(128)).map(([address, length]) => {
  const isNarrow = !address.includes(':') && length > 32;
  return isNarrow ? address : `${address}/${length}`;
});
const code = fc.constantFrom('DE', 'FR', 'US');
const number = fc.constantFrom('1', '2', '3', '64500');
const print = fc.constantFrom('aaaaaaaa', 'bbbbbbbb');
const valuesFor: Record<RuleType, fc.Arbitrary<string>> = {
  ...{ IP: block, COUNTRY: code, REGION: code, FINGERPRINT: print },
  ...{ ASN: number, USER_ID: number, SERVER_ID: number },
};
const rule = fc
  .constantFrom(...ruleTypes)
  .chain((type) => valuesFor[type].map((value) => ruleOf(type, value)));
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const someFacts: fc.Arbitrary<RuleFacts> = fc.record({
  platformId: number,
  address: somewhere,
  country: orNull(code),
  region: orNull(code),
  asn: orNull(number.map(Number)),
  fingerprint: orNull(print),
  guildIds: orNull(fc.array(number, { maxLength: 3 })),
});

test('matching all rules at once finds what matching them one by one finds', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), someFacts, (rules, facts) => {
      const fitting = rules.filter((one) => fits(one, facts));
      const found = compileRules(rules).match(facts);
      if (fitting.length === 0) expect(found).toBeUndefined();
      else expect(fitting).toContainEqual(found ?? { type: 'IP', value: 'none' });
    }),
    { numRuns: 3000 },
  );
});

test('ten thousand rules of each type are matched without a scan', () => {
  const rules = Array.from({ length: 10_000 }, (_, i): Rule[] => [
    { type: 'IP', value: `10.${i >> 8}.${i & 255}.0/24` },
    { type: 'IP', value: `2001:db8:${i.toString(16)}::/48` },
    { type: 'ASN', value: String(i + 1) },
    { type: 'USER_ID', value: String(i + 10) },
  ]).flat();
  const compiled = compileRules(rules);
  const guildIds = Array.from({ length: 200 }, (_, i) => String(i));
  const facts = { ...nobody, asn: 99_999, address: '2001:db9::1', guildIds };
  const startedAt = performance.now();
  for (let i = 0; i < 20_000; i += 1) expect(compiled.match(facts) === undefined).toBe(true);
  // Reading them one by one would be 800 million comparisons.
  expectBelow(performance.now() - startedAt, 5000);
});

import { describe, expect, test } from 'bun:test';
import { newRule, type RuleType } from '@holdfast/contract';
import { compileRules, type Rule } from '../rules/rules.ts';
import {
  accountCreatedAt,
  decide,
  type Facts,
  needsGuilds,
  type Ruleset,
  withRaisedChecks,
} from './rules.ts';

const dayMs = 24 * 60 * 60 * 1000;
const now = new Date('2026-07-01T00:00:00Z');
const unremarkable = { country: 'DE', region: 'DE-BE', asn: 3209, isVpn: false, problems: [] };

const facts: Facts = {
  platformId: '175928847299117063',
  address: '91.64.0.1',
  ip: unremarkable,
  fingerprint: 'abcdefgh',
  guildIds: ['42'],
  isBlacklisted: false,
  isAlt: false,
  now,
};

const ruleOf = (type: RuleType, value: string): Rule => newRule.parse({ type, value });
const none = compileRules<Rule>([]);

const everythingOn = {
  server: {
    firewallEnabled: true,
    vpnBlockEnabled: true,
    altDetectEnabled: true,
    minAccountAgeDays: 30,
  },
  plan: { hasFirewall: true, hasVpnDetection: true, hasAltDetection: true },
  whitelist: none,
  firewall: none,
} satisfies Ruleset;

const againstMe = compileRules([ruleOf('USER_ID', facts.platformId)]);
const idCreatedAt = (time: number): string => String(BigInt(time - 1_420_070_400_000) << 22n);

/** Wrong in every respect. */
const worst: Facts = {
  ...facts,
  platformId: idCreatedAt(now.getTime() - dayMs),
  ip: { ...unremarkable, isVpn: true },
  isBlacklisted: true,
  isAlt: true,
};
const againstCountry = compileRules([ruleOf('COUNTRY', 'DE')]);

describe('the order of the checks', () => {
  test('an unremarkable newcomer is verified', () => {
    expect(decide(facts, everythingOn)).toEqual({ allowed: true, undecided: [] });
  });

  test('blacklist, then firewall, VPN, alt, account age: each decides once the one before passes', () => {
    const ruleset = { ...everythingOn, firewall: againstCountry };
    const stages: Facts[] = [worst];
    const next = (change: Partial<Facts>) =>
      stages.push({ ...(stages.at(-1) ?? worst), ...change });
    next({ isBlacklisted: false });
    next({ ip: { ...worst.ip, country: 'FR' } });
    next({ ip: { ...unremarkable, country: 'FR' } });
    next({ isAlt: false });
    next({ platformId: facts.platformId });
    const outcomes = stages.map((stage) => decide(stage, ruleset));
    const reasons = outcomes.map((outcome) => (outcome.allowed ? 'in' : outcome.reason));
    expect(reasons).toEqual(['BLACKLIST', 'FIREWALL', 'VPN', 'ALT', 'ACCOUNT_AGE', 'in']);
    expect(outcomes[1]).toMatchObject({ rule: { type: 'COUNTRY', value: 'DE' } });
  });

  test('the whitelist overrides every check but the blacklist', () => {
    const ruleset = { ...everythingOn, whitelist: againstCountry, firewall: againstCountry };
    expect(decide({ ...worst, isBlacklisted: false }, ruleset)).toEqual({
      allowed: true,
      by: 'WHITELIST',
      rule: ruleOf('COUNTRY', 'DE'),
      undecided: [],
    });
    expect(decide(worst, ruleset)).toMatchObject({ allowed: false, reason: 'BLACKLIST' });
  });

  test.each<[RuleType, string]>([
    ['IP', '91.64.0.0/16'],
    ['COUNTRY', 'DE'],
    ['ASN', 'AS3209'],
    ['FINGERPRINT', 'abcdefgh'],
    ['USER_ID', facts.platformId],
    ['SERVER_ID', '42'],
    ['REGION', 'de-be'],
  ])('a firewall rule of type %s blocks, a whitelist rule verifies', (type, value) => {
    const rules = compileRules([ruleOf(type, value)]);
    const rule = { type, value: ruleOf(type, value).value };
    expect(decide(facts, { ...everythingOn, firewall: rules })).toMatchObject({
      allowed: false,
      reason: 'FIREWALL',
      rule,
    });
    expect(decide(facts, { ...everythingOn, firewall: rules, whitelist: rules })).toMatchObject({
      allowed: true,
      by: 'WHITELIST',
      rule,
    });
  });
});

describe('a check that is off decides nothing', () => {
  const { server, plan } = everythingOn;
  const vpn: Partial<Facts> = { ip: { ...unremarkable, isVpn: true } };
  const young: Partial<Facts> = { platformId: worst.platformId };
  test.each<[string, Partial<Facts>, Partial<Ruleset>]>([
    ['firewall, by the server', {}, { server: { ...server, firewallEnabled: false } }],
    ['firewall, by the plan', {}, { plan: { ...plan, hasFirewall: false } }],
    ['VPN, by the server', vpn, { server: { ...server, vpnBlockEnabled: false }, firewall: none }],
    ['VPN, by the plan', vpn, { plan: { ...plan, hasVpnDetection: false }, firewall: none }],
    [
      'alt, by the server',
      { isAlt: true },
      { server: { ...server, altDetectEnabled: false }, firewall: none },
    ],
    [
      'alt, by the plan',
      { isAlt: true },
      { plan: { ...plan, hasAltDetection: false }, firewall: none },
    ],
    ['account age', young, { server: { ...server, minAccountAgeDays: 0 }, firewall: none }],
  ])('%s', (_, changedFacts, changed) => {
    const ruleset = { ...everythingOn, firewall: againstMe };
    expect(decide({ ...facts, ...changedFacts }, { ...ruleset, ...changed })).toEqual({
      allowed: true,
      undecided: [],
    });
    const { firewall = againstMe } = changed;
    expect(decide({ ...facts, ...changedFacts }, { ...ruleset, firewall }).allowed).toBe(false);
  });
});

describe('the age of an account', () => {
  const agedMs = (ageMs: number) =>
    decide({ ...facts, platformId: idCreatedAt(now.getTime() - ageMs) }, everythingOn).allowed;

  test('is read from its id', () => {
    expect(accountCreatedAt('175928847299117063')?.toISOString()).toBe('2016-04-30T11:18:25.796Z');
    expect(accountCreatedAt('18446744073709551615')?.getTime()).toBeGreaterThan(now.getTime());
    expect(accountCreatedAt('x')).toBeUndefined();
  });

  test('suffices from the millisecond in which it is reached', () => {
    expect(agedMs(30 * dayMs)).toBe(true);
    expect(agedMs(30 * dayMs - 1)).toBe(false);
  });

  test('never suffices for an id of the future', () => {
    expect(agedMs(-dayMs)).toBe(false);
  });
});

describe('a fact that is not known decides nothing, and is reported', () => {
  const failed: Facts['ip'] = {
    ...{ country: null, region: null, asn: null, isVpn: false },
    problems: ['country', 'asn', 'vpn'],
  };
  const blind: Facts = {
    ...facts,
    ...{ platformId: 'x', address: '', ip: failed, fingerprint: null },
    ...{ guildIds: null, isAlt: null },
  };
  const rules = compileRules(
    (
      [
        ['IP', '0.0.0.0/0'],
        ['COUNTRY', 'DE'],
        ['ASN', '3209'],
        ['FINGERPRINT', 'abcdefgh'],
        ['SERVER_ID', '42'],
        ['REGION', 'DE-BE'],
      ] as const
    ).map(([type, value]) => ruleOf(type, value)),
  );
  const types = ['IP', 'COUNTRY', 'ASN', 'FINGERPRINT', 'SERVER_ID', 'REGION'];

  test('if every source fails, the newcomer is verified by no rule', () => {
    const decision = decide(blind, { ...everythingOn, whitelist: rules, firewall: rules });
    expect(decision).toMatchObject({ allowed: true });
    expect(decision).not.toHaveProperty('by');
    const everything = types.flatMap((type) => [`WHITELIST ${type}`, `FIREWALL ${type}`]);
    expect(new Set<string>(decision.undecided)).toEqual(
      new Set([...everything, 'VPN', 'ALT', 'ACCOUNT_AGE']),
    );
  });

  test('a fact that no check needs is not reported', () => {
    const { plan } = everythingOn;
    const off = { firewallEnabled: false, vpnBlockEnabled: false, altDetectEnabled: false };
    const server = { ...off, minAccountAgeDays: 0 };
    const ruleset = { server, plan, whitelist: none, firewall: rules };
    expect(decide(blind, ruleset)).toEqual({ allowed: true, undecided: [] });
  });

  test('a known fact still blocks, and the undecided checks before it are reported', () => {
    const ruleset = { ...everythingOn, whitelist: againstCountry, firewall: againstMe };
    const ip = { ...unremarkable, country: null, problems: ['country' as const] };
    expect(decide({ ...facts, ip }, ruleset)).toMatchObject({
      allowed: false,
      reason: 'FIREWALL',
      undecided: ['WHITELIST COUNTRY'],
    });
  });

  test('a network that is on no list is not a VPN, which is decided', () => {
    const ip = { ...unremarkable, asn: null };
    expect(decide({ ...facts, ip }, everythingOn)).toEqual({ allowed: true, undecided: [] });
  });
});

test('the guilds are requested only if a rule that applies is about them', () => {
  const about = compileRules([ruleOf('SERVER_ID', '42')]);
  const server = { ...everythingOn.server, firewallEnabled: false };
  expect(needsGuilds({ ...everythingOn, firewall: againstMe })).toBe(false);
  expect(needsGuilds({ ...everythingOn, firewall: about })).toBe(true);
  expect(needsGuilds({ ...everythingOn, firewall: about, server })).toBe(false);
  expect(needsGuilds({ ...everythingOn, whitelist: about, server })).toBe(true);
});

test.each([
  ['NONE', 0, null, null, { captchaType: 'NONE', minAccountAgeDays: 0, areChecksRaised: false }],
  ['NONE', 0, 'POW', 3, { captchaType: 'POW', minAccountAgeDays: 3, areChecksRaised: true }],
  ['HCAPTCHA', 30, 'POW', 3, { captchaType: 'HCAPTCHA', minAccountAgeDays: 30 }],
  ['TURNSTILE', 1, 'POW', 3, { captchaType: 'TURNSTILE', minAccountAgeDays: 3 }],
] as const)('%s and %d days, raised to %p and %p', (captchaType, days, raised, raisedDays, now) => {
  const checks = { captchaType, minAccountAgeDays: days };
  const effective = withRaisedChecks({
    ...{ ...checks, raisedCaptchaType: raised, raisedMinAccountAgeDays: raisedDays },
  });
  expect(effective).toMatchObject(now);
});

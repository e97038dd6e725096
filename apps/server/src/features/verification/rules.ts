import { isPlatformId, type PlanLimits, type RuleType } from '@holdfast/contract';
import type { IpLook } from '../../integrations/ip-data/open-ip-data.ts';
import { type CompiledRules, isKnown, type Rule, type RuleFacts } from './match-rule.ts';

/**
 * Whether a newcomer may come in. The checks stand in this order, and the first that speaks decides:
 *
 *   blacklist     whoever is on the owner's list is turned away, whatever else is true of them
 *   whitelist     whoever fits a rule comes in, and nothing below is looked at
 *   firewall      whoever fits a rule is turned away
 *   VPN           … whose address belongs to a hosting or VPN network
 *   alt           … who seems to be another member's second account
 *   account age   … whose account is younger than the server demands
 *
 * The last four count only where the server has them switched on, and the first three of those only
 * where the plan has them too.
 *
 * What is not known never decides: neither for a newcomer nor against them. Where a source failed or
 * was never asked,
 *   - a rule that needs the fact does not fit: a whitelist rule lets nobody in by it, a firewall rule
 *     turns nobody away by it. COUNTRY and REGION need the file of places, ASN the table of networks,
 *     SERVER_ID the platform's list of the person's servers, FINGERPRINT a browser that told one, IP
 *     an address that is one;
 *   - the VPN check lets pass when the table of networks or the list of VPNs could not be asked, as
 *     in the first moments after a start;
 *   - the alt check lets pass when nobody could be compared with (`isAlt` null);
 *   - the age check lets pass where the platform's id tells no date.
 * What the newcomer could tell and does not is another matter, since leaving it out would otherwise be the
 * way around a rule. A scope that the platform was to ask for must have been granted, and a browser must
 * tell its fingerprint where a check goes by it: `withheldFrom` says what is missing, and nobody comes in
 * before they told it.
 *
 * Each check that let pass for such a reason is named in `undecided`, and recorded with the attempt.
 * A check that was not reached, or has no rule that asks for the fact, is not named.
 */
export type Facts = {
  platformId: string;
  address: string;
  look: IpLook;
  /** The keyed hash, as the member record shows it. */
  fingerprint: string | null;
  /** Null: not asked for, since no rule needs them, or the platform did not tell. */
  guildIds: readonly string[] | null;
  isBlacklisted: boolean;
  isAlt: boolean | null;
  now: Date;
};

export type Ruleset<R extends Rule = Rule> = {
  server: {
    firewallEnabled: boolean;
    vpnBlockEnabled: boolean;
    altDetectEnabled: boolean;
    minAccountAgeDays: number;
  };
  plan: Pick<PlanLimits, 'hasFirewall' | 'hasVpnDetection' | 'hasAltDetection'>;
  whitelist: CompiledRules<R>;
  firewall: CompiledRules<R>;
};

export type BlockReason = 'BLACKLIST' | 'FIREWALL' | 'VPN' | 'ALT' | 'ACCOUNT_AGE';

export type Undecided =
  | `WHITELIST ${RuleType}`
  | `FIREWALL ${RuleType}`
  | 'VPN'
  | 'ALT'
  | 'ACCOUNT_AGE';

export type Decision<R extends Rule = Rule> = { undecided: Undecided[] } & (
  | { allowed: true; by?: 'WHITELIST'; rule?: R }
  | { allowed: false; reason: BlockReason; rule?: R }
);

export const decide = <R extends Rule>(facts: Facts, ruleset: Ruleset<R>): Decision<R> => {
  const { server, plan, whitelist, firewall } = ruleset;
  const undecided: Undecided[] = [];
  const blocked = (reason: BlockReason, rule?: R): Decision<R> => ({
    allowed: false,
    reason,
    ...(rule && { rule }),
    undecided,
  });
  if (facts.isBlacklisted) return blocked('BLACKLIST');

  const ruleFacts = { ...facts, ...facts.look };
  const letIn = whitelist.match(ruleFacts);
  if (letIn) return { allowed: true, by: 'WHITELIST', rule: letIn, undecided };
  undecided.push(...unknownOf('WHITELIST', whitelist, ruleFacts));

  if (isFirewallOn(ruleset)) {
    const against = firewall.match(ruleFacts);
    if (against) return blocked('FIREWALL', against);
    undecided.push(...unknownOf('FIREWALL', firewall, ruleFacts));
  }
  if (server.vpnBlockEnabled && plan.hasVpnDetection) {
    if (facts.look.isVpn) return blocked('VPN');
    if (facts.look.problems.includes('vpn')) undecided.push('VPN');
  }
  if (isAltDetectionOn(ruleset)) {
    if (facts.isAlt) return blocked('ALT');
    if (facts.isAlt === null) undecided.push('ALT');
  }
  if (server.minAccountAgeDays > 0) {
    const createdAt = accountCreatedAt(facts.platformId);
    if (!createdAt) undecided.push('ACCOUNT_AGE');
    else if (isYounger(createdAt, server.minAccountAgeDays, facts.now)) {
      return blocked('ACCOUNT_AGE');
    }
  }
  return { allowed: true, undecided };
};

/** Whether the person must be asked for the servers they are in: only where a rule is about them. */
export const needsGuilds = (ruleset: Ruleset): boolean =>
  ruleset.whitelist.types.has('SERVER_ID') ||
  (isFirewallOn(ruleset) && ruleset.firewall.types.has('SERVER_ID'));

/** What the newcomer was asked for and did not tell. */
export type Withheld = 'guilds' | 'fingerprint';

/**
 * What a newcomer whom the checks would let in still has to tell: a check goes by it, and only they
 * can. Whoever came in by the whitelist needs none of it.
 */
export const withheldFrom = (
  decision: Decision,
  ruleset: Ruleset,
  told: { scopes: readonly string[]; fingerprint: string | null },
): Withheld | undefined => {
  if (!decision.allowed || decision.by === 'WHITELIST') return undefined;
  if (needsGuilds(ruleset) && !told.scopes.includes('guilds')) return 'guilds';
  return needsFingerprint(ruleset) && told.fingerprint === null ? 'fingerprint' : undefined;
};

const needsFingerprint = (ruleset: Ruleset): boolean =>
  isAltDetectionOn(ruleset) || (isFirewallOn(ruleset) && ruleset.firewall.types.has('FINGERPRINT'));

const platformEpochMs = 1_420_070_400_000;

/** A platform id begins with the time it was given; undefined where it is none. */
export const accountCreatedAt = (platformId: string): Date | undefined =>
  isPlatformId(platformId)
    ? new Date(Number(BigInt(platformId) >> 22n) + platformEpochMs)
    : undefined;

const dayMs = 24 * 60 * 60 * 1000;

const isYounger = (createdAt: Date, days: number, now: Date): boolean =>
  now.getTime() - createdAt.getTime() < days * dayMs;

const isFirewallOn = ({ server, plan }: Ruleset): boolean =>
  server.firewallEnabled && plan.hasFirewall;

/** Whether second accounts are turned away. */
export const isAltDetectionOn = ({ server, plan }: Pick<Ruleset, 'server' | 'plan'>): boolean =>
  server.altDetectEnabled && plan.hasAltDetection;

const unknownOf = <List extends 'WHITELIST' | 'FIREWALL'>(
  list: List,
  rules: CompiledRules,
  facts: RuleFacts,
): `${List} ${RuleType}`[] =>
  [...rules.types]
    .filter((type) => !isKnown(type, facts))
    .map((type): `${List} ${RuleType}` => `${list} ${type}`);

import {
  type captchaTypes,
  isPlatformId,
  type PlanLimits,
  type RuleType,
} from '@holdfast/contract';
import type { IpFacts } from '../../integrations/ip-data/ip-data.ts';
import { type CompiledRules, isKnown, type Rule, type RuleFacts } from '../rules/rules.ts';

/**
 * Whether a newcomer is verified. The checks run in this order, and the first match wins:
 *
 *   blacklist     blocks people on the owner's list, whatever else is true of them
 *   whitelist     verifies people who match a rule; nothing below is checked
 *   firewall      blocks people who match a rule
 *   VPN           blocks addresses of hosting and VPN networks
 *   alt           blocks people who seem to be the second account of a member
 *   account age   blocks accounts that are younger than the server demands
 *
 * The last four apply only if the server has them enabled, and the first three of those only if the
 * plan includes them.
 *
 * A fact that is not known never decides, neither for a newcomer nor against them. If a source failed
 * or was not asked,
 *   - a rule that needs the fact does not match. COUNTRY and REGION need the location data, ASN the
 *     network data, SERVER_ID the platform's list of the person's guilds, FINGERPRINT a browser that
 *     sent one, IP a valid address;
 *   - the VPN check passes if the network data or the list of VPNs was not available, as in the first
 *     moments after a start;
 *   - the alt check passes if there was nothing to compare (`isAlt` is null);
 *   - the age check passes if the platform id has no date.
 * Each check that passed for such a reason is listed in `undecided`, and recorded with the attempt. A
 * check that was not reached, or has no rule that needs the fact, is not listed.
 *
 * What the newcomer could provide and does not is different, since leaving it out would otherwise be
 * a way around a rule. A scope that was requested must have been granted, and the browser must send
 * its fingerprint if a check uses it: `withheldFrom` returns what is missing, and the newcomer is not
 * verified before they provide it.
 */
export type Facts = {
  platformId: string;
  address: string;
  ip: IpFacts;
  /** The keyed hash, as in the member record. */
  fingerprint: string | null;
  /** Null: not requested, since no rule needs them, or the platform did not answer. */
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

type Undecided = `WHITELIST ${RuleType}` | `FIREWALL ${RuleType}` | 'VPN' | 'ALT' | 'ACCOUNT_AGE';

type Decision<R extends Rule = Rule> = { undecided: Undecided[] } & (
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

  const ruleFacts = { ...facts, ...facts.ip };
  const accepting = whitelist.match(ruleFacts);
  if (accepting) return { allowed: true, by: 'WHITELIST', rule: accepting, undecided };
  undecided.push(...unknownOf('WHITELIST', whitelist, ruleFacts));

  if (isFirewallOn(ruleset)) {
    const blocking = firewall.match(ruleFacts);
    if (blocking) return blocked('FIREWALL', blocking);
    undecided.push(...unknownOf('FIREWALL', firewall, ruleFacts));
  }
  if (server.vpnBlockEnabled && plan.hasVpnDetection) {
    if (facts.ip.isVpn) return blocked('VPN');
    if (facts.ip.problems.includes('vpn')) undecided.push('VPN');
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

type Checks = { captchaType: (typeof captchaTypes)[number]; minAccountAgeDays: number };
type Raised = {
  raisedCaptchaType: Checks['captchaType'] | null;
  raisedMinAccountAgeDays: number | null;
};

/** Of what the owner has set and what is raised for now, the stricter; never less than the owner asks. */
export const withRaisedChecks = <Server extends Checks & Raised>(
  server: Server,
): Omit<Server, keyof Raised> & { areChecksRaised: boolean } => {
  const { raisedCaptchaType, raisedMinAccountAgeDays, ...own } = server;
  return {
    ...own,
    captchaType: own.captchaType === 'NONE' ? (raisedCaptchaType ?? 'NONE') : own.captchaType,
    minAccountAgeDays: Math.max(own.minAccountAgeDays, raisedMinAccountAgeDays ?? 0),
    areChecksRaised: raisedCaptchaType !== null,
  };
};

type RuleTypes = Pick<CompiledRules, 'types'>;
type GuildRuleset = Switches & { whitelist: RuleTypes; firewall: RuleTypes };

/** Whether a rule depends on the guilds the person is in. */
export const needsGuilds = (ruleset: GuildRuleset): boolean =>
  ruleset.whitelist.types.has('SERVER_ID') ||
  (isFirewallOn(ruleset) && ruleset.firewall.types.has('SERVER_ID'));

/** What the newcomer was asked for and did not provide. */
export type Withheld = 'guilds' | 'fingerprint';

/**
 * What a newcomer who passed the checks still has to provide, since a check uses it. Nothing if the
 * whitelist decided.
 */
export const withheldFrom = (
  decision: Decision,
  ruleset: Ruleset,
  provided: { scopes: readonly string[]; fingerprint: string | null },
): Withheld | undefined => {
  if (!decision.allowed || decision.by === 'WHITELIST') return undefined;
  if (needsGuilds(ruleset) && !provided.scopes.includes('guilds')) return 'guilds';
  return needsFingerprint(ruleset) && provided.fingerprint === null ? 'fingerprint' : undefined;
};

const needsFingerprint = (ruleset: Ruleset): boolean =>
  isAltDetectionOn(ruleset) || (isFirewallOn(ruleset) && ruleset.firewall.types.has('FINGERPRINT'));

const platformEpochMs = 1_420_070_400_000;

/** A platform id begins with its time; undefined if it is not a platform id. */
export const accountCreatedAt = (platformId: string): Date | undefined =>
  isPlatformId(platformId)
    ? new Date(Number(BigInt(platformId) >> 22n) + platformEpochMs)
    : undefined;

const dayMs = 24 * 60 * 60 * 1000;

const isYounger = (createdAt: Date, days: number, now: Date): boolean =>
  now.getTime() - createdAt.getTime() < days * dayMs;

type Switches = Pick<Ruleset, 'server' | 'plan'>;

const isFirewallOn = ({ server, plan }: Switches): boolean =>
  server.firewallEnabled && plan.hasFirewall;

/** Whether second accounts are blocked. */
export const isAltDetectionOn = ({ server, plan }: Switches): boolean =>
  server.altDetectEnabled && plan.hasAltDetection;

const unknownOf = <List extends 'WHITELIST' | 'FIREWALL'>(
  list: List,
  rules: CompiledRules,
  facts: RuleFacts,
): `${List} ${RuleType}`[] =>
  [...rules.types]
    .filter((type) => !isKnown(type, facts))
    .map((type): `${List} ${RuleType}` => `${list} ${type}`);

export const longestAppealLength = 500;

/** The message as it is stored; undefined if it is empty or too long. */
export const appealMessage = (text: string | undefined): string | undefined => {
  const message = (text ?? '')
    .replaceAll('\r\n', '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what no person can type or read
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .trim();
  const { length } = [...message];
  return length >= 1 && length <= longestAppealLength ? message : undefined;
};

/** Where a blocked person stands with the owner. */
export type AppealStanding = 'appealOpen' | 'appealAccepted' | 'appealRejected';

type DecidedAppeal = { status: 'OPEN' | 'ACCEPTED' | 'REJECTED'; decidedAt: Date | null };

/**
 * A decision counts only against what came before it: whoever was accepted, tried again and was blocked
 * for another reason is blocked. Undefined without an appeal that still counts.
 */
export const appealStanding = (
  appeal: DecidedAppeal | undefined,
  blockedAt: Date | null,
): AppealStanding | undefined => {
  if (!appeal) return undefined;
  if (appeal.status === 'OPEN') return 'appealOpen';
  if (blockedAt && appeal.decidedAt && appeal.decidedAt < blockedAt) return undefined;
  return appeal.status === 'ACCEPTED' ? 'appealAccepted' : 'appealRejected';
};

/** Why a role is not given yet (`platformSilent`, `roleWithheld`), or not at all. The pages have a sentence for each. */
export const roleTroubles = [
  'platformSilent',
  'notInServer',
  'missingPermission',
  'roleGone',
  'roleWithheld',
  'failed',
] as const;

export type RoleTrouble = (typeof roleTroubles)[number];

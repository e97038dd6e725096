import { z } from 'zod';
import { deleted, idParams, isPlatformId, note, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { canonicalIp } from './ip-address.ts';
import { accountLimits } from './plans.ts';

export const ruleTypes = [
  'IP',
  'COUNTRY',
  'ASN',
  'FINGERPRINT',
  'USER_ID',
  'SERVER_ID',
  'REGION',
] as const;
export type RuleType = (typeof ruleTypes)[number];

export const rule = z
  .object({
    id: uuid,
    serverId: uuid,
    type: z.enum(ruleTypes),
    value: z.string().meta({ description: 'In its canonical form.', example: '203.0.113.0/24' }),
    note: z.string().nullable().meta({ example: 'spam wave' }),
    createdAt: timestamp,
  })
  .meta({ id: 'Rule' });

const maxAsn = 4_294_967_295;

const canonicalAsn = (value: string): string | undefined => {
  const digits = value.match(/^(?:AS)?(\d{1,10})$/i)?.[1];
  return digits !== undefined && Number(digits) <= maxAsn ? String(Number(digits)) : undefined;
};

const canonicalPlatformId = (value: string): string | undefined =>
  isPlatformId(value) ? BigInt(value).toString() : undefined;

const canonicalCountry = (value: string): string | undefined =>
  /^[a-z]{2}$/i.test(value) && countryCodes.has(value.toUpperCase())
    ? value.toUpperCase()
    : undefined;

const canonicalRegion = (value: string): string | undefined => {
  const region = value.trim().replace(/\s+/g, ' ').toUpperCase().normalize('NFC');
  // Counted in the canonical form: case folding may change the length.
  const { length } = [...region];
  return length >= 2 && length <= 64 ? region : undefined;
};

const platformIdHint = 'Must be a platform id: 1 to 20 digits';

/** The canonical form of a value of each type, which is stored and compared. */
const canonicalForms: Record<
  RuleType,
  { of: (value: string) => string | undefined; hint: string }
> = {
  IP: { of: canonicalIp, hint: 'Must be an IPv4 or IPv6 address or CIDR block' },
  COUNTRY: { of: canonicalCountry, hint: 'Must be an ISO 3166-1 alpha-2 country code' },
  ASN: { of: canonicalAsn, hint: 'Must be an AS number, with or without AS in front' },
  FINGERPRINT: {
    of: (value) => (/^[A-Za-z0-9_-]{8,128}$/.test(value) ? value : undefined),
    hint: 'Must be 8 to 128 of A-Z, a-z, 0-9, _ and -',
  },
  USER_ID: { of: canonicalPlatformId, hint: platformIdHint },
  SERVER_ID: { of: canonicalPlatformId, hint: platformIdHint },
  REGION: { of: canonicalRegion, hint: 'Must be 2 to 64 characters, ISO 3166-2 where known' },
};

export const newRule = z
  .object({
    type: z.enum(ruleTypes),
    value: z
      .string()
      .min(1)
      .max(256)
      .describe('An address or CIDR block, a country code, an AS number …, depending on the type.'),
    note: note.nullish(),
  })
  .transform((body, context) => {
    const { of, hint } = canonicalForms[body.type];
    const value = of(body.value);
    if (value !== undefined) return { ...body, value };
    context.addIssue({ code: 'custom', path: ['value'], message: hint });
    return z.NEVER;
  })
  .meta({ id: 'NewRule', example: { type: 'IP', value: '203.0.113.0/24', note: 'spam wave' } });

export type NewRule = z.output<typeof newRule>;

/** Firewall and whitelist have the same three endpoints. */
const ruleEndpoints = <const List extends 'firewall' | 'whitelist'>(
  list: List,
  tag: string,
  /** A firewall is weakened by deleting a rule, a whitelist by adding one. */
  weakenedBy: 'create' | 'delete',
) =>
  endpointsOf(tag, {
    list: {
      method: 'GET',
      path: `/servers/:id/${list}`,
      summary: `List ${list} rules`,
      scope: `${list}:read`,
      owner: 'server',
      params: idParams,
      data: z.array(rule),
    },
    create: {
      method: 'POST',
      path: `/servers/:id/${list}`,
      summary: `Add a ${list} rule`,
      description:
        'The value is stored in its canonical form: `203.0.113.7/24` as `203.0.113.0/24`, `as64500` as `64500`.',
      scope: `${list}:write`,
      freshSecondFactor: weakenedBy === 'create' ? 'always' : 'never',
      owner: 'server',
      params: idParams,
      body: newRule,
      status: 201,
      data: rule,
      refusals: {
        403: `The server has ${accountLimits.rulesPerList} ${list} rules already.`,
        409: 'The server already has a rule of this type and value.',
      },
    },
    delete: {
      method: 'DELETE',
      path: `/servers/:id/${list}`,
      summary: `Delete a ${list} rule`,
      scope: `${list}:write`,
      freshSecondFactor: weakenedBy === 'delete' ? 'always' : 'never',
      owner: 'server',
      params: idParams,
      query: z.object({ ruleId: uuid.describe('The rule to delete.') }),
      data: deleted,
      refusals: { 404: 'No such server or rule.' },
    },
  });

const firewall = ruleEndpoints('firewall', 'Firewall', 'delete');

/** A plan without firewall can list and delete its rules, but not add any. */
export const firewallEndpoints = {
  listFirewallRules: firewall.list,
  createFirewallRule: { ...firewall.create, feature: 'hasFirewall' as const },
  deleteFirewallRule: firewall.delete,
};

const whitelist = ruleEndpoints('whitelist', 'Whitelist', 'create');

export const whitelistEndpoints = {
  listWhitelistRules: whitelist.list,
  createWhitelistRule: whitelist.create,
  deleteWhitelistRule: whitelist.delete,
};

/** ISO 3166-1 alpha-2, officially assigned codes. */
export const countryCodes: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
  BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
  EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM
  HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
  LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
  TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);

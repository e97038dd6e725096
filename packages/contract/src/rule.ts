import { z } from 'zod';
import { accountBounds } from './bounds.ts';
import { deleted, idParams, isPlatformId, note, timestamp, uuid } from './common.ts';
import { countryCodes } from './country-codes.ts';
import { endpoint } from './endpoint.ts';
import { canonicalIp } from './ip-address.ts';

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

const largestAsn = 4_294_967_295;

const canonicalAsn = (value: string): string | undefined => {
  const digits = value.match(/^(?:AS)?(\d{1,10})$/i)?.[1];
  return digits !== undefined && Number(digits) <= largestAsn ? String(Number(digits)) : undefined;
};

const canonicalPlatformId = (value: string): string | undefined =>
  isPlatformId(value) ? BigInt(value).toString() : undefined;

const canonicalCountry = (value: string): string | undefined =>
  /^[a-z]{2}$/i.test(value) && countryCodes.has(value.toUpperCase())
    ? value.toUpperCase()
    : undefined;

const canonicalRegion = (value: string): string | undefined => {
  const region = value.trim().replace(/\s+/g, ' ').toUpperCase().normalize('NFC');
  // Counted in the form that is kept: folding may lengthen a text or shorten it.
  const { length } = [...region];
  return length >= 2 && length <= 64 ? region : undefined;
};

const platformIdHint = 'Must be a platform id: 1 to 20 digits';

/** How a value of each type is brought to the one form that is stored and compared. */
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
      .describe('An address or CIDR block, a country code, an AS number: what the type asks for.'),
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

/** Firewall and whitelist are the same three endpoints over two lists. */
export const ruleEndpoints = <const List extends 'firewall' | 'whitelist'>(
  list: List,
  tag: string,
  /** A firewall is weakened by deleting a rule, a whitelist by adding one. */
  weakenedBy: 'create' | 'delete',
) => ({
  list: endpoint({
    method: 'GET',
    path: `/servers/:id/${list}`,
    tag,
    summary: `List ${list} rules`,
    scope: `${list}:read`,
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    status: 200,
    data: z.array(rule),
  }),
  create: endpoint({
    method: 'POST',
    path: `/servers/:id/${list}`,
    tag,
    summary: `Add a ${list} rule`,
    description:
      'The value is brought to one canonical form first: `203.0.113.7/24` is stored as `203.0.113.0/24`, `as64500` as `64500`.',
    scope: `${list}:write`,
    freshSecondFactor: weakenedBy === 'create' ? 'always' : 'never',
    owner: 'server',
    params: idParams,
    body: newRule,
    status: 201,
    data: rule,
    refusals: {
      403: `The server has ${accountBounds.rulesPerList} ${list} rules already.`,
      409: 'The server already has a rule of this type and value.',
    },
  }),
  delete: endpoint({
    method: 'DELETE',
    path: `/servers/:id/${list}`,
    tag,
    summary: `Delete a ${list} rule`,
    scope: `${list}:write`,
    freshSecondFactor: weakenedBy === 'delete' ? 'always' : 'never',
    owner: 'server',
    params: idParams,
    query: z.object({ ruleId: uuid.describe('The rule to delete.') }),
    status: 200,
    data: deleted,
    refusals: { 404: 'No such server or rule.' },
  }),
});

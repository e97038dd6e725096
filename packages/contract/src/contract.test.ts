import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import {
  canonicalIp,
  defaultPlans,
  type Endpoint,
  endpoints,
  keyScope,
  limit,
  name,
  newRule,
  note,
  overridePlans,
  page,
  platformId,
  type RuleType,
  ruleTypes,
  scopes,
  scopeTiers,
  text,
  timestamp,
  uuid,
} from './index.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

describe('scopes', () => {
  test('there are 23 to read, 23 to write and 7 to destroy, 53 in all, none twice', () => {
    expect(scopeTiers.read).toHaveLength(23);
    expect(scopeTiers.write).toHaveLength(23);
    expect(scopeTiers.destructive).toHaveLength(7);
    expect(new Set(scopes).size).toBe(53);
  });

  test('a key can carry each of them and *, and nothing else', () => {
    expect([...scopes, '*'].filter((scope) => !accepts(keyScope, scope))).toEqual([]);
    const others = ['servers:*', 'Servers:read', ' servers:read', 'servers:read ', '', '**', 'all'];
    expect(others.filter((scope) => accepts(keyScope, scope))).toEqual([]);
  });
});

describe('plans', () => {
  const GiB = 1_073_741_824;
  test.each([
    ['priceCents', 0, 500, 1500, 5000],
    ['maxServers', 1, 5, 25, 100],
    ['maxBots', 1, 3, 10, 50],
    ['maxBackups', 15, 50, 250, 1000],
    ['maxStorageBytes', GiB, 10 * GiB, 50 * GiB, 250 * GiB],
    ['pullCooldownMs', 64_800_000, 7_200_000, 1_800_000, 0],
    ['marketplaceFeePercent', 15, 10, 7.5, 5],
    ['apiRatePerTenSeconds', 20, 50, 100, 200],
    ['hasVpnDetection', true, true, true, true],
    ['hasAltDetection', false, true, true, true],
    ['hasFirewall', false, true, true, true],
  ] as const)('%s is %p, %p, %p and %p', (cell, free, premium, business, enterprise) => {
    const { FREE, PREMIUM, BUSINESS, ENTERPRISE } = defaultPlans;
    const row = [FREE[cell], PREMIUM[cell], BUSINESS[cell], ENTERPRISE[cell]];
    expect(row).toEqual([free, premium, business, enterprise]);
  });

  test('an operator changes the cells that the file names, and no other', () => {
    const changed = overridePlans({ PREMIUM: { maxServers: 10 }, FREE: { hasFirewall: true } });
    const { PREMIUM, FREE, ...others } = defaultPlans;
    expect(changed).toEqual({
      ...others,
      PREMIUM: { ...PREMIUM, maxServers: 10 },
      FREE: { ...FREE, hasFirewall: true },
    });
    expect(overridePlans({})).toEqual(defaultPlans);
  });

  test.each([
    [{ GOLD: { maxServers: 10 } }],
    [{ PREMIUM: { maxDogs: 10 } }],
    [{ PREMIUM: { maxServers: -1 } }],
    [{ PREMIUM: { marketplaceFeePercent: 101 } }],
    [null],
  ])('an operator’s file that says %j is refused', (overrides) => {
    expect(() => overridePlans(overrides)).toThrow();
  });
});

describe('values at the door', () => {
  test.each([
    ['platform id', platformId, ['0', '00', '175928847299117063', '18446744073709551615']],
    ['UUID', uuid, ['0191d3a0-5b7e-7c3a-9b1e-6f0d2c4a8e11', crypto.randomUUID().toUpperCase()]],
    ['page', page, ['1', '9007199254740991', undefined]],
    ['limit', limit, ['1', '100', undefined]],
    ['name', name, ['x', '👍'.repeat(100), ' x ']],
    ['note', note, ['', '👍'.repeat(500)]],
    ['time', timestamp, ['2026-01-31T12:00:00Z', '2024-02-29T23:59:59.999+14:00']],
  ] as const)('a well-formed %s is accepted', (_, schema, values) => {
    expect(values.filter((value) => !accepts(schema, value))).toEqual([]);
  });

  test.each([
    ['platform id', platformId, ['', '18446744073709551616', '1'.repeat(21), '-1', '1.0', '1e3']],
    ['platform id', platformId, [' 1', '1\n', '٣', '0x10', 175928847299117, null]],
    ['UUID', uuid, ['', 'x', '0191d3a05b7e7c3a9b1e6f0d2c4a8e11', crypto.randomUUID().slice(1)]],
    ['UUID', uuid, [`${crypto.randomUUID()}\n`, `{${crypto.randomUUID()}}`, 7, null]],
    ['page', page, ['0', '-1', '1.5', '01', '+1', ' 1', '1e2', '', 'x', '9007199254740993', '٣']],
    ['limit', limit, ['0', '101', '-1', '1.0', '', '1e1', '0x10', '20 ']],
    ['name', name, ['', '👍'.repeat(101), ' ', '\t\n', 7, null]],
    ['note', note, ['👍'.repeat(501), 7]],
    ['time', timestamp, ['2026-01-31', '2026-01-31T12:00:00', '2026-02-30T00:00:00Z', '', 0]],
    ['time', timestamp, ['9999-12-31T23:59:59-01:00', '2026-01-31T25:00:00Z', 'tomorrow']],
  ] as const)('a malformed %s is refused', (_, schema, values) => {
    expect(values.filter((value) => accepts(schema, value))).toEqual([]);
  });

  test('a page is the first and a limit 20 where none is named', () => {
    expect([page.parse(undefined), limit.parse(undefined)]).toEqual([1, 20]);
    expect([page.parse('7'), limit.parse('100')]).toEqual([7, 100]);
  });

  test('lengths are counted in characters, whatever they take in memory', () => {
    const character = fc.constantFrom('a', 'ä', '漢', '👍', '𝒳');
    fc.assert(
      fc.property(fc.array(character, { maxLength: 30 }), (characters) => {
        const isWithin = characters.length >= 5 && characters.length <= 20;
        expect(accepts(text(5, 20), characters.join(''))).toBe(isWithin);
      }),
    );
  });

  test('a time survives the wire to the millisecond, and any offset becomes UTC', () => {
    const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') });
    fc.assert(
      fc.property(date, (at) => {
        const wire = z.encode(timestamp, at);
        expect(wire).toBe(at.toISOString());
        expect(z.decode(timestamp, wire)).toEqual(at);
      }),
    );
    const same = z.decode(timestamp, '2026-01-31T14:00:00.000+02:00');
    expect(z.encode(timestamp, same)).toBe('2026-01-31T12:00:00.000Z');
  });
});

const canonical = (type: RuleType, value: string): string | undefined =>
  newRule.safeParse({ type, value }).data?.value;

/** An IPv6 address as its eight numbers, zeros and the mapped prefix being as likely as not. */
const v6Groups = fc.oneof(
  fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
    minLength: 8,
    maxLength: 8,
  }),
  fc
    .tuple(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0xffff }))
    .map((low) => [0, 0, 0, 0, 0, 0xffff, ...low]),
);

/** One of the many ways to write it: capitals, leading zeros, `::` at any run, a dotted end. */
const spellingOf = (groups: number[], pick: (choices: number) => number): string => {
  const spelled = groups.map((group) => {
    const hex = group.toString(16).padStart(1 + pick(4), '0');
    return pick(2) ? hex.toUpperCase() : hex;
  });
  const [high = 0, low = 0] = groups.slice(6);
  const dotted = [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const parts = pick(2) ? [...spelled.slice(0, 6), dotted] : spelled;
  const zeros = groups.slice(0, 6).findIndex((group, at) => group === 0 && pick(2) + at > 0);
  if (zeros < 0) return parts.join(':');
  const length = groups.slice(zeros, 6).findIndex((group) => group !== 0);
  const end = length < 0 ? 6 : zeros + 1 + pick(length);
  return `${parts.slice(0, zeros).join(':')}::${parts.slice(end).join(':')}`;
};

describe('rule values', () => {
  test.each([...ruleTypes])('a canonical %s is its own canonical form', (type) => {
    const likely: Record<RuleType, fc.Arbitrary<string>> = {
      IP: fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6()).chain((address) =>
        fc.oneof(
          fc.constant(address),
          fc.nat(128).map((prefix) => `${address}/${prefix}`),
        ),
      ),
      COUNTRY: fc.string({ minLength: 2, maxLength: 2, unit: fc.constantFrom(...'dDeEuUsSıſ') }),
      ASN: fc.nat().map((asn) => `aS0${asn}`),
      FINGERPRINT: fc.stringMatching(/^[A-Za-z0-9_-]{8,128}$/),
      USER_ID: fc.stringMatching(/^\d{1,20}$/),
      SERVER_ID: fc.stringMatching(/^\d{1,20}$/),
      REGION: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom(...'ßΐŉǰİıΣςᾳ \u0301\u0345\u2000aZ-') }),
      ),
    };
    const value = fc.oneof(likely[type], fc.string());
    fc.assert(
      fc.property(value, (written) => {
        const once = canonical(type, written);
        if (once !== undefined) expect(canonical(type, once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  test('every spelling of an IPv6 address has the one form of RFC 5952, its blocks have one too', () => {
    fc.assert(
      fc.property(v6Groups, fc.nat(128), fc.gen(), (groups, prefix, gen) => {
        const plain = groups.map((group) => group.toString(16)).join(':');
        const other = spellingOf(groups, (choices) => gen(fc.nat, Math.max(0, choices - 1)));
        // URLs write addresses as RFC 5952 does, but do not fold mapped ones.
        const asUrl = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
        expect(canonicalIp(other)).toBe(asUrl.startsWith('::ffff:') ? canonicalIp(plain) : asUrl);
        expect(canonicalIp(`${other}/${prefix}`)).toBe(canonicalIp(`${plain}/${prefix}`));
      }),
      { numRuns: 500 },
    );
  });

  test('a v4-mapped address is the IPv4 address, and its blocks are IPv4 blocks', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(32), (address, prefix) => {
        expect(canonicalIp(`::FFFF:${address}`)).toBe(address);
        const block = canonicalIp(`${address}/${prefix}`) ?? 'refused';
        expect(canonicalIp(`::ffff:${address}/${96 + prefix}`)).toBe(block);
      }),
    );
  });

  test('all addresses of a block name the same block', () => {
    const number = fc.integer({ min: 0, max: 0xffffffff });
    const dotted = (bits: number) =>
      [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 32 }), (bits, host, prefix) => {
        const hostMask = 2 ** (32 - prefix) - 1;
        const neighbour = ((bits & ~hostMask) | (host & hostMask)) >>> 0;
        const block = canonicalIp(`${dotted(bits)}/${prefix}`);
        expect(canonicalIp(`${dotted(neighbour)}/${prefix}`)).toBe(block);
        const outside = (bits ^ (hostMask + 1)) >>> 0;
        expect(canonicalIp(`${dotted(outside)}/${prefix}`)).not.toBe(block);
      }),
    );
  });

  test.each([
    ...['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '1.2.3.4/', '1.2.3.4/33', '1.2.3.4/08'],
    ...['1.2.3.4/24/24', '::/129', ':::', '1::2::3', '12345::', '1:2:3:4:5:6:7', 'fe80::1%eth0'],
    ...['1.2.3.4::', '1.2.3.4::5', '::1.2.3', '1:2:3:4:5:6:7:1.2.3.4', '1:2:3:4:5:6:7:8::', 'g::'],
  ])('%p is no address and no block', (value) => {
    expect(canonicalIp(value)).toBeUndefined();
  });
});

/** Decisions 5 and 8: what each endpoint demands. */
const decided = new Set(
  `GET /account account:read | GET /bots bots:read | POST /bots bots:write
  PUT /bots/:id bots:write | DELETE /bots/:id bots:delete | GET /servers servers:read
  POST /servers servers:write | GET /servers/:id servers:read | PUT /servers/:id servers:write
  DELETE /servers/:id servers:delete | GET /servers/:id/members members:read
  GET /servers/:id/backups backups:read | POST /servers/:id/backups backups:write
  GET /servers/:id/backups/:backupId backups:read
  DELETE /servers/:id/backups/:backupId backups:write
  POST /servers/:id/backups/:backupId/plan backups:read
  POST /servers/:id/backups/:backupId/restore backups:restore | GET /restores/:id backups:read
  POST /restores/:id/cancel backups:restore | POST /servers/:id/pull members:pull
  GET /servers/:id/pulls members:read | GET /pulls/:id members:read
  POST /pulls/:id/cancel members:pull | GET /servers/:id/firewall firewall:read
  POST /servers/:id/firewall firewall:write | DELETE /servers/:id/firewall firewall:write
  GET /servers/:id/whitelist whitelist:read | POST /servers/:id/whitelist whitelist:write
  DELETE /servers/:id/whitelist whitelist:write | POST /servers/:id/blacklist blacklist:write
  GET /blacklist blacklist:read | DELETE /blacklist blacklist:write
  GET /servers/:id/analytics analytics:read | GET /servers/:id/appeals members:read
  POST /servers/:id/appeals/:appealId members:write | GET /marketplace/listings marketplace:read
  POST /marketplace/listings marketplace:write | PUT /marketplace/listings/:id marketplace:write
  GET /marketplace/orders marketplace:read | POST /marketplace/orders marketplace:write
  GET /marketplace/orders/:id marketplace:read
  POST /marketplace/orders/:id/cancel marketplace:write
  POST /marketplace/orders/:id/deliver marketplace:write
  POST /marketplace/orders/:id/confirm marketplace:write
  POST /marketplace/payouts marketplace:payout | GET /billing/ledger billing:read
  POST /billing/invoices billing:write | GET /billing/events billing:read | GET /audit audit:read
  GET /keys api-keys:read | POST /keys api-keys:write | DELETE /keys/:id api-keys:write`
    .split(/[|\n]/)
    .map((line) => line.trim()),
);

describe('endpoints', () => {
  const entries: Endpoint[] = Object.values(endpoints);
  const routeOf = ({ method, path }: Endpoint) => `${method} ${path}`;

  test('no two of them share a method and a path', () => {
    const routes = entries.map((entry) => routeOf(entry).replace(/:\w+/g, ':'));
    expect(new Set(routes).size).toBe(entries.length);
  });

  test.each(entries.map((entry) => [routeOf(entry), entry] as const))(
    '%s demands the scope that was decided, and takes the parameters of its path',
    (route, { scope, path, params }) => {
      expect([...decided]).toContain(`${route} ${scope}`);
      const named = [...path.matchAll(/(?<=:)\w+/g)].map(([parameter]) => parameter);
      expect(Object.keys(params?.shape ?? {})).toEqual(named);
    },
  );
});

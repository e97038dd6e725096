import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import {
  canonicalIp,
  httpUrl,
  limit,
  name,
  newRule,
  note,
  page,
  platformId,
  type RuleType,
  ruleTypes,
  text,
  timestamp,
  uuid,
} from './index.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

describe('values of a request', () => {
  test.each([
    ['platform id', platformId, ['0', '00', '175928847299117063', '18446744073709551615']],
    ['UUID', uuid, ['0191d3a0-5b7e-7c3a-9b1e-6f0d2c4a8e11', crypto.randomUUID().toUpperCase()]],
    ['page', page, ['1', '9007199254740991', undefined]],
    ['limit', limit, ['1', '100', undefined]],
    ['name', name, ['x', '👍'.repeat(100), ' x ', '❤️', 'é', 'ﷺ', '\u{1fae9}']],
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
    ['name', name, ['\u200b', '\u2060\ufeff', '\u3164', '\u2800', '\u0301', '\u202e', '\u{e0041}']],
    ['name', name, ['\u{1d159}', '\u{13441} \u{13442}']],
    ['note', note, ['👍'.repeat(501), 7]],
    ['time', timestamp, ['2026-01-31', '2026-01-31T12:00:00', '2026-02-30T00:00:00Z', '', 0]],
    ['time', timestamp, ['9999-12-31T23:59:59-01:00', '2026-01-31T25:00:00Z', 'tomorrow']],
  ] as const)('a malformed %s is refused', (_, schema, values) => {
    expect(values.filter((value) => accepts(schema, value))).toEqual([]);
  });

  test.each([
    ['name', name, '\u200d'.repeat(1000)],
    ['address', httpUrl, `https://${'ü.'.repeat(2000)}`],
  ] as const)('of a far too long %s nothing else is looked at', (_, schema, value) => {
    expect(schema.safeParse(value).error?.issues).toHaveLength(1);
  });

  test('page defaults to 1 and limit to 20', () => {
    expect([page.parse(undefined), limit.parse(undefined)]).toEqual([1, 20]);
    expect([page.parse('7'), limit.parse('100')]).toEqual([7, 100]);
  });

  test('lengths are counted in code points', () => {
    const character = fc.constantFrom('a', 'ä', '漢', '👍', '𝒳');
    fc.assert(
      fc.property(fc.array(character, { maxLength: 30 }), (characters) => {
        const isWithin = characters.length >= 5 && characters.length <= 20;
        expect(accepts(text(5, 20), characters.join(''))).toBe(isWithin);
      }),
    );
  });

  test('a time is encoded and decoded to the millisecond, and any offset becomes UTC', () => {
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

import { describe, expect, test } from 'bun:test';
import { canonicalIp } from '@holdfast/contract';
import fc from 'fast-check';
import { ipWords } from './ip-words.ts';

/** Letters that addresses are made of: most texts are nearly one, some are one. */
const nearlyAnAddress = fc.string({
  unit: fc.constantFrom(...'0123456789abcdefF:.:.::/% g'.split('')),
  maxLength: 24,
});

const numberOf = (words: Uint32Array): bigint =>
  words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);

const spelled = (words: Uint32Array): string =>
  words.length === 1
    ? [...new Uint8Array(Uint32Array.from(words).buffer)].reverse().join('.')
    : [...words]
        .flatMap((word) => [word >>> 16, word & 0xffff])
        .map((group) => group.toString(16))
        .join(':');

describe('an address as words', () => {
  test.each([
    ['203.0.113.7', [0xcb007107]],
    ['255.255.255.255', [0xffffffff]],
    ['::', [0, 0, 0, 0]],
    ['::1', [0, 0, 0, 1]],
    ['2001:db8::1', [0x20010db8, 0, 0, 1]],
    ['2001:DB8:1:2:3:4:5:6', [0x20010db8, 0x00010002, 0x00030004, 0x00050006]],
    ['::ffff:203.0.113.7', [0xcb007107]],
    ['::ffff:cb00:7107', [0xcb007107]],
    ['64:ff9b::192.0.2.1', [0x64ff9b, 0, 0, 0xc0000201]],
  ])('%s', (address, words) => {
    expect([...(ipWords(address) ?? [])]).toEqual(words);
  });

  test.each([
    '',
    ':',
    ':::',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.256',
    '1.2.3.4/32',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    'fe80::1%eth0',
    '12345::',
    '1:',
    ':1',
    '1.2.3.４',
  ])('refuses %p', (text) => {
    expect(ipWords(text)).toBeUndefined();
  });

  test('agrees with the contract on every IPv4 and IPv6 address in every spelling', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const words = ipWords(address);
        expect(words && canonicalIp(spelled(words))).toBe(canonicalIp(address));
      }),
      { numRuns: 2000 },
    );
  });

  test('agrees with the contract on what is no address', () => {
    fc.assert(
      fc.property(nearlyAnAddress, (text) => {
        const canonical = canonicalIp(text);
        const isAddress = canonical !== undefined && !text.includes('/') && text.trim() === text;
        expect(ipWords(text) !== undefined).toBe(isAddress);
      }),
      { numRuns: 5000 },
    );
  });

  test('is the number that the address stands for', () => {
    fc.assert(
      fc.property(fc.uint32Array({ minLength: 4, maxLength: 4 }), (words) => {
        // What maps IPv4 becomes IPv4, which is another table.
        fc.pre(words[0] !== 0);
        expect(numberOf(ipWords(spelled(words)) ?? new Uint32Array())).toBe(numberOf(words));
      }),
    );
  });
});

import { describe, expect, test } from 'bun:test';
import { newRule } from '@holdfast/contract';
import fc from 'fast-check';
import { generateHashKey, keyedHash } from './hash.ts';
import { generateMasterKey, parseKeyRing } from './seal.ts';
import { Secret } from './secret.ts';

describe('a keyed hash', () => {
  const key = generateHashKey();

  test('is HMAC-SHA256 over kind and value', () => {
    const known = new Secret(Buffer.alloc(32, 1).toString('base64url'));
    const expected = new Bun.CryptoHasher('sha256', Buffer.alloc(32, 1))
      .update('address\u0000203.0.113.7')
      .digest('base64url');
    expect(keyedHash(known, 'address', '203.0.113.7')).toBe(expected);
  });

  test('is the same for the same value, and different for another key, kind or value', () => {
    const hash = keyedHash(key, 'address', '203.0.113.7');
    expect(keyedHash(key, 'address', '203.0.113.7')).toBe(hash);
    expect(keyedHash(generateHashKey(), 'address', '203.0.113.7')).not.toBe(hash);
    expect(keyedHash(key, 'fingerprint', '203.0.113.7')).not.toBe(hash);
    expect(keyedHash(key, 'address', '203.0.113.8')).not.toBe(hash);
  });

  test('is a valid value of a FINGERPRINT rule', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const hash = keyedHash(key, 'fingerprint', value);
        expect(newRule.parse({ type: 'FINGERPRINT', value: hash }).value).toBe(hash);
      }),
    );
  });

  test('stays the same when the key is rewrapped and the old master key removed', () => {
    const place = { table: 'users', column: 'hash_key', rowId: 'user-1', accountId: 'user-1' };
    const [first, second] = [generateMasterKey(), generateMasterKey()];
    const sealed = parseKeyRing(first).seal(key, place);
    const both = parseKeyRing(`${second},${first}`);
    const rewrapped = both.seal(both.open(sealed, place), place);
    const opened = parseKeyRing(second).open(rewrapped, place);
    expect(keyedHash(opened, 'fingerprint', 'f')).toBe(keyedHash(key, 'fingerprint', 'f'));
  });

  test('refuses a key that is too short to protect anything', () => {
    expect(() => keyedHash(new Secret('abc'), 'address', 'x')).toThrow('32 bytes');
  });
});

import { describe, expect, test } from 'bun:test';
import { inspect } from 'node:util';
import { createLog } from './log.ts';
import { generateMasterKey, parseKeyRing, sealedBytesKeyId, sealedKeyId } from './seal.ts';
import { Secret } from './secret.ts';

const place = { table: 'bots', column: 'bot_token', rowId: 'row-1', accountId: 'account-1' };

describe('a sealed secret', () => {
  const ring = parseKeyRing(generateMasterKey());
  const sealed = ring.seal(new Secret('the token'), place);

  test('opens where it was sealed', () => {
    expect(ring.open(sealed, place).reveal()).toBe('the token');
  });

  test.each([
    ['table', { table: 'members' }],
    ['column', { column: 'client_secret' }],
    ['row', { rowId: 'row-2' }],
    ['account', { accountId: 'account-2' }],
  ])('does not open in another %s', (_, elsewhere) => {
    expect(() => ring.open(sealed, { ...place, ...elsewhere })).toThrow('sealed elsewhere');
  });

  test('does not open when a single character was changed', () => {
    const middle = sealed.length - 8;
    const flipped = sealed[middle] === 'A' ? 'B' : 'A';
    const altered = sealed.slice(0, middle) + flipped + sealed.slice(middle + 1);
    expect(() => ring.open(altered, place)).toThrow('altered');
  });

  test('is different every time', () => {
    expect(ring.seal(new Secret('the token'), place)).not.toBe(sealed);
  });

  test('opens under a ring with a new sealing key, not under a foreign ring', () => {
    const first = generateMasterKey();
    const second = generateMasterKey();
    const old = parseKeyRing(first).seal(new Secret('kept'), place);
    const rotated = parseKeyRing(`${second},${first}`);
    expect(rotated.open(old, place).reveal()).toBe('kept');
    expect(sealedKeyId(rotated.seal(new Secret('kept'), place))).toBe(rotated.sealingKeyId);
    expect(() => parseKeyRing(second).open(old, place)).toThrow('is not in the ring');
    const impostor = `${sealedKeyId(old)}:${Buffer.alloc(32, 7).toString('base64')}`;
    expect(() => parseKeyRing(impostor).open(old, place)).toThrow('under another key');
  });
});

describe('sealed bytes', () => {
  const ring = parseKeyRing(generateMasterKey());
  const plain = Buffer.from([0, 255, 128, 10, 0]);
  const sealed = ring.sealBytes(plain, place);

  test('open where they were sealed, also when there are none', () => {
    expect(ring.openBytes(sealed, place)).toEqual(plain);
    expect(ring.openBytes(ring.sealBytes(Buffer.alloc(0), place), place)).toHaveLength(0);
  });

  test.each([
    ['table', { table: 'members' }],
    ['column', { column: 'client_secret' }],
    ['row', { rowId: 'row-2' }],
    ['account', { accountId: 'account-2' }],
  ])('do not open in another %s', (_, elsewhere) => {
    expect(() => ring.openBytes(sealed, { ...place, ...elsewhere })).toThrow('sealed elsewhere');
  });

  test('do not open when any one bit was changed, or any end is missing', () => {
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const altered = Buffer.from(sealed);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => ring.openBytes(altered, place)).toThrow('Cannot open');
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => ring.openBytes(sealed.subarray(0, length), place)).toThrow('Cannot open');
    }
  });

  test('name their key, and open under a ring with a new sealing key', () => {
    const first = generateMasterKey();
    const old = parseKeyRing(first).sealBytes(plain, place);
    const rotated = parseKeyRing(`${generateMasterKey()},${first}`);
    expect(rotated.openBytes(old, place)).toEqual(plain);
    expect(sealedBytesKeyId(old)).toBe(rotated.keyIds[1] ?? '');
    expect(sealedBytesKeyId(rotated.sealBytes(plain, place))).toBe(rotated.sealingKeyId);
    expect(() => ring.openBytes(old, place)).toThrow('is not in the ring');
    expect(sealedBytesKeyId(Buffer.from('something else'))).toBe('');
  });

  test('never open as a sealed text, nor a text as bytes', () => {
    const keyId = ring.sealingKeyId;
    const [, , nonce = '', body = ''] = ring.seal(new Secret('text'), place).split('.');
    const header = Buffer.concat([Buffer.from([0xb1, keyId.length]), Buffer.from(keyId)]);
    const [a, b] = [Buffer.from(nonce, 'base64url'), Buffer.from(body, 'base64url')];
    expect(() => ring.openBytes(Buffer.concat([header, a, b]), place)).toThrow('altered');
  });
});

test('a ring refuses keys of the wrong length and repeated ids', () => {
  expect(() => parseKeyRing('a:c2hvcnQ=')).toThrow('32 bytes');
  const key = Buffer.alloc(32).toString('base64');
  expect(() => parseKeyRing(`a:${key},a:${key}`)).toThrow('twice');
});

test('a secret is shown only by reveal', () => {
  const secret = new Secret('canary');
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  log.info({ secret, nested: { botToken: 'canary' } }, `about ${secret}`);
  const shown = [
    JSON.stringify({ secret }),
    inspect(secret),
    String(secret),
    `${secret}`,
    ...lines,
  ];
  expect(shown.join('\n')).not.toContain('canary');
  expect(secret.reveal()).toBe('canary');
});

describe('a tag', () => {
  const ring = parseKeyRing(generateMasterKey());
  const bytes = Buffer.from('what was written');
  const tag = ring.authenticate(bytes, 'one purpose');

  test('proves the bytes, for its own purpose and under its own key alone', () => {
    expect(sealedKeyId(tag)).toBe(ring.sealingKeyId);
    expect(ring.isAuthentic(bytes, tag, 'one purpose')).toBe(true);
    expect(ring.isAuthentic(bytes, tag, 'another')).toBe(false);
    expect(ring.isAuthentic(Buffer.from('something else'), tag, 'one purpose')).toBe(false);
    expect(parseKeyRing(generateMasterKey()).isAuthentic(bytes, tag, 'one purpose')).toBe(false);
  });

  test.each(['', 'm1', `m1.${ring.sealingKeyId}.`, tag.slice(0, -4), tag.replace('m1', 's1')])(
    'is not %p',
    (other) => expect(ring.isAuthentic(bytes, other, 'one purpose')).toBe(false),
  );
});

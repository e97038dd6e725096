import { describe, expect, test } from 'bun:test';
import { inspect } from 'node:util';
import { createLog } from './log.ts';
import { generateMasterKey, parseKeyRing, sealedKeyId } from './seal.ts';
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

  test('never looks the same twice', () => {
    expect(ring.seal(new Secret('the token'), place)).not.toBe(sealed);
  });

  test('opens under a ring that has gained a new sealing key, not under a foreign ring', () => {
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

test('a ring refuses keys of the wrong length and repeated ids', () => {
  expect(() => parseKeyRing('a:c2hvcnQ=')).toThrow('32 bytes');
  const key = Buffer.alloc(32).toString('base64');
  expect(() => parseKeyRing(`a:${key},a:${key}`)).toThrow('twice');
});

test('a secret shows itself to nothing but reveal', () => {
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

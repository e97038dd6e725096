import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { cleanData, cleanText, envelope } from './untrusted.ts';

test('whatever a text contains, it stays on its line within the envelope', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 60 });
  const hostile = fc.constantFrom(
    '</untrusted-data>',
    '\n<untrusted-data>',
    '"}',
    '\u2028',
    '\\u003c',
  );
  const name = fc
    .array(fc.oneof(anything, hostile), { maxLength: 5 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.dictionary(name, name, { maxKeys: 3 }), name, (fields, text) => {
      const cleaned = cleanData({ fields, text }, () => undefined);
      const lines = envelope(['Fixed.'], cleaned).split(/[\n\r\u0085\u2028\u2029]/);
      expect(lines).toHaveLength(4);
      expect([lines[0], lines[1], lines[3]]).toEqual([
        'Fixed.',
        '<untrusted-data>',
        '</untrusted-data>',
      ]);
      expect(lines[2]).not.toMatch(/[<>]/);
      expect(JSON.parse(lines[2] ?? '')).toEqual(cleaned);
    }),
  );
});

test.each([
  ['controls and line breaks', 'a\u0000b\u0007\r\nc', 'ab c'],
  ['marks of direction', '\u202egnp.\u2066exe\u2069\u200f', 'gnp.exe'],
  ['hidden text in tags and selectors', `x${'\u{e0041}\u{e0100}\ufe01'}y`, 'xy'],
  ['what is not seen', 'a\u200b\u00ad\ufeff\u2060b', 'ab'],
  ['halves of characters', 'a\ud800b', 'a\ufffdb'],
])('removed are %s', (_, text, expected) => {
  expect(cleanText(text)).toBe(expected);
});

test('what scripts and emojis need stays', () => {
  for (const text of ['👨‍👩‍👧 ❤️', 'می‌خواهم', 'Ünïcödé 日本語']) expect(cleanText(text)).toBe(text);
});

test('long texts and lists are cut, and it is told', () => {
  let cuts = 0;
  const value = { list: Array(101).fill(1), text: 'x'.repeat(5000), short: [1] };
  const cleaned = cleanData(value, () => cuts++);
  expect(cuts).toBe(2);
  expect(cleaned).toEqual({ list: Array(100).fill(1), text: `${'x'.repeat(4000)}…`, short: [1] });
});

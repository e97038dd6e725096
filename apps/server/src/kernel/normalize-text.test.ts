import { expect, test } from 'bun:test';
import { expectBelow } from '../../test/harness/bounds.ts';
import { normalizeText } from './normalize-text.ts';

test('text is normalized as Unicode says', () => {
  for (const text of ['Ångström', 'Å', 'ﬁle', 'ｶﾞ', 'नमस्ते', '한국', 'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢', '']) {
    for (const form of ['NFC', 'NFKC', 'NFKD'] as const) {
      expect(normalizeText(text, form)).toBe(text.normalize(form));
    }
  }
});

const times = 50_000;

test.each([
  ['above a letter', 'a\u0301'],
  ['in no order', 'a\u0301\u0316'],
  ['of Japanese', 'ｶﾞ'],
])('a letter keeps thirty marks %s, and more cost no time', (_, letterAndMarks) => {
  const [letter = '', ...marks] = letterAndMarks;
  const text = `${letter}${marks.join('').repeat(times)}${letter}`;
  const startedAt = performance.now();
  const normal = normalizeText(text, 'NFKD');
  expectBelow(performance.now() - startedAt, 200);
  expect([...normal].length).toBe(32);
  expect(normal).toEndWith(letter.normalize('NFKD'));
});

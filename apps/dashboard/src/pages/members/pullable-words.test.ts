import { expect, test } from 'bun:test';
import { type Member, pullableWords } from './pullable-words.ts';

const at = '2026-01-01T00:00:00.000Z';

test.each([
  [true, at, 'VALID', 'Yes'],
  [true, at, 'EXPIRED', 'Yes'],
  [false, null, 'VALID', 'No: has not agreed to it'],
  [false, null, 'NONE', 'No: has not agreed to it'],
  [false, at, 'REVOKED', 'No: took the permission back'],
  [false, at, 'NONE', 'No: gave no token'],
  [false, at, 'VALID', 'No: on your blacklist'],
] satisfies [boolean, string | null, Member['tokenStatus'], string][])(
  'pullable %p, agreed %p and a token that is %s: %s',
  (pullable, consentedAt, tokenStatus, words) => {
    expect(pullableWords({ pullable, consentedAt, tokenStatus })).toBe(words);
  },
);

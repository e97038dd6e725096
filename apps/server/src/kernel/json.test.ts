import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { canonicalJson } from './json.ts';

/** What it must be, in fewer words and with the stack's depth as its limit. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};

describe('canonical JSON', () => {
  test('is that of the value with sorted keys, whatever the value', () => {
    const key = fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom('__proto__', '01', ''));
    const leaf = fc.oneof(
      fc.constantFrom(undefined, null, true, Number.NaN, -0, 1e21, '\ud800'),
      ...[fc.string(), fc.double(), fc.date()],
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('value')),
        fc.array(fc.tuple(key, tie('value'))).map(Object.fromEntries),
      ),
    }));
    fc.assert(
      fc.property(value, (one) => {
        expect(canonicalJson(one)).toBe(JSON.stringify(sorted(one)));
      }),
      { numRuns: 500 },
    );
  });

  test('is that of a value of a hundred thousand levels', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1)
      value = depth % 2 === 0 ? [value] : { a: value };
    const text = canonicalJson(value);
    expect(text.startsWith('{"a":[{"a":[')).toBe(true);
    expect(text.endsWith(']}]}')).toBe(true);
    expect(text).toHaveLength(50_000 * 2 + 50_000 * 6 + 1);
  });
});

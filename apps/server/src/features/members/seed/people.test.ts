import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { generatePeople } from './people.ts';

const now = new Date('2030-01-01T00:00:00Z');
const createdIn = (platformId: string) => Number(BigInt(platformId) >> 22n) + 1_420_070_400_000;

test('however the range is cut up, as many people consent as requested, and no id occurs twice', () => {
  const sizes = fc.integer({ min: 1, max: 500 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      pullable: fc.integer({ min: 0, max: count }),
      cut: fc.integer({ min: 0, max: count - 1 }),
    }),
  );
  fc.assert(
    fc.property(sizes, fc.double({ min: 0, max: 0.9999, noNaN: true }), (size, random) => {
      const { count, pullable, cut } = size;
      const generate = (first: number, last: number) =>
        generatePeople({ first, last, count, pullable }, now, () => random);
      const people = [...generate(0, cut), ...generate(cut + 1, count - 1)];
      expect(people.map(({ i }) => i)).toEqual(Array.from({ length: count }, (_, i) => i));
      expect(people.filter(({ consents }) => consents)).toHaveLength(pullable);
      expect(new Set(people.map(({ platformId }) => platformId)).size).toBe(count);
      for (const { platformId, createdAt } of people) {
        expect(createdIn(platformId)).toBe(createdAt.getTime());
        expect(createdAt.getTime()).toBeLessThan(now.getTime() - 394 * 86_400_000);
      }
    }),
    { numRuns: 50 },
  );
});

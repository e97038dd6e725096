import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { drawPeople } from './draw-people.ts';

const now = new Date('2030-01-01T00:00:00Z');
const bornIn = (platformId: string) => Number(BigInt(platformId) >> 22n) + 1_420_070_400_000;

test('however a crowd is cut up, as many agree as were asked for, and nobody comes twice', () => {
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
      const draw = (first: number, last: number) =>
        drawPeople({ first, last, count, pullable }, now, () => random);
      const people = [...draw(0, cut), ...draw(cut + 1, count - 1)];
      expect(people.map(({ i }) => i)).toEqual(Array.from({ length: count }, (_, i) => i));
      expect(people.filter(({ agrees }) => agrees)).toHaveLength(pullable);
      expect(new Set(people.map(({ platformId }) => platformId)).size).toBe(count);
      for (const { platformId, bornAt } of people) {
        expect(bornIn(platformId)).toBe(bornAt.getTime());
        expect(bornAt.getTime()).toBeLessThan(now.getTime() - 394 * 86_400_000);
      }
    }),
    { numRuns: 50 },
  );
});

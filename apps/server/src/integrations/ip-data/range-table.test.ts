import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createRangeTableBuilder } from './range-table.ts';

type Range = { first: number[]; last: number[]; value: number };

const compare = (left: number[], right: number[]): number =>
  left.map((word, i) => word - (right[i] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** Few words, so that ranges touch, overlap and lie within each other. */
const word = fc.constantFrom(0, 1, 2, 3, 4, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff);

const ranges = (width: 1 | 4) => {
  const address = fc.array(word, { minLength: width, maxLength: width });
  const range = fc.tuple(address, address).map((ends) => ends.toSorted(compare));
  return fc.record({ ranges: fc.array(range, { maxLength: 12 }), address });
};

/** Begins last; of those that begin together, ends first. */
const mostParticular = (rows: Range[], address: number[]): Range | undefined =>
  rows
    .filter(({ first, last }) => compare(first, address) <= 0 && compare(address, last) <= 0)
    .toSorted((a, b) => compare(b.first, a.first) || compare(a.last, b.last))[0];

test.each([1, 4] as const)(
  'the most particular range of an address is found (%i words)',
  (width) => {
    fc.assert(
      fc.property(ranges(width), ({ ranges: drawn, address }) => {
        const rows = drawn.map(([first = [], last = []], value) => ({ first, last, value }));
        const builder = createRangeTableBuilder(width);
        for (const { first, last, value } of rows) {
          builder.add(Uint32Array.from(first), Uint32Array.from(last), value);
        }
        const found = builder.finish().find(Uint32Array.from(address));
        const expected = mostParticular(rows, address);
        // Which of two equal ranges is found does not matter.
        const isSame = ({ first, last }: Range) =>
          expected && !compare(first, expected.first) && !compare(last, expected.last);
        if (!expected) expect(found).toBeNull();
        else expect(rows.filter(isSame).map(({ value }) => value)).toContain(found ?? -1);
      }),
      { numRuns: 3000 },
    );
  },
);

test('a table grows beyond its first capacity, and takes 12 bytes for each IPv4 range', () => {
  const builder = createRangeTableBuilder(1);
  for (let row = 0; row < 5000; row += 1) {
    builder.add(Uint32Array.of(row * 10), Uint32Array.of(row * 10 + 4), row);
  }
  const table = builder.finish();
  expect(table.size).toBe(5000);
  expect(table.sizeBytes).toBe(5000 * 12);
  expect(table.find(Uint32Array.of(49_994))).toBe(4999);
  expect(table.find(Uint32Array.of(49_995))).toBeNull();
});

import { describe, expect, test } from 'bun:test';
import { formatPrice, nothingFoundLabel, parseCents, salesLabel } from './marketplace.ts';

describe('a price', () => {
  test('is whole cents, however it is typed', () => {
    expect(parseCents(19.99)).toBe(1999);
    expect(parseCents('0.1')).toBe(10);
    // As numbers are kept, 100 times this is a little less than 435.
    expect(parseCents(4.35)).toBe(435);
    expect(parseCents(0)).toBe(0);
  });

  test('is none where nothing or nonsense was typed', () => {
    expect(parseCents('')).toBeUndefined();
    expect(parseCents(-1)).toBeUndefined();
    expect(parseCents('cheap')).toBeUndefined();
  });

  test('of nothing is called free', () => {
    expect(formatPrice(0, 'USD')).toBe('Free');
    expect(formatPrice(1500, 'USD')).toContain('15');
  });
});

test('sales are counted in words', () => {
  expect([0, 1, 2].map(salesLabel)).toEqual([undefined, 'Sold once', 'Sold 2 times']);
});

test('what was not found is named by its words and its category', () => {
  const [search, category] = ['pirates', 'TEMPLATE'] as const;
  expect(nothingFoundLabel({ search, category })).toBe('No template matches “pirates”');
  expect(nothingFoundLabel({ search, category: undefined })).toBe('No listing matches “pirates”');
  expect(nothingFoundLabel({ search: undefined, category })).toBe('No template is for sale');
});

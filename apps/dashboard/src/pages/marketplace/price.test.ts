import { describe, expect, test } from 'bun:test';
import { centsIn, priceWords } from './price.ts';

describe('a price', () => {
  test('is whole cents, however it is typed', () => {
    expect(centsIn(19.99)).toBe(1999);
    expect(centsIn('0.1')).toBe(10);
    // As numbers are kept, 100 times this is a little less than 435.
    expect(centsIn(4.35)).toBe(435);
    expect(centsIn(0)).toBe(0);
  });

  test('is none where nothing or nonsense was typed', () => {
    expect(centsIn('')).toBeUndefined();
    expect(centsIn(-1)).toBeUndefined();
    expect(centsIn('cheap')).toBeUndefined();
  });

  test('of nothing is called free', () => {
    expect(priceWords(0, 'USD')).toBe('Free');
    expect(priceWords(1500, 'USD')).toContain('15');
  });
});

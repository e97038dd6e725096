import { describe, expect, test } from 'bun:test';
import { formatPrice, parseCents } from './marketplace.ts';

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

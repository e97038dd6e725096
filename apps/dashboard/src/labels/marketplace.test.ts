import { describe, expect, test } from 'bun:test';
import {
  buyingSteps,
  formatPrice,
  nothingFoundLabel,
  parseCents,
  salesLabel,
} from './marketplace.ts';

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

test('a listing shows how often it was sold; one without sales is new for 30 days', () => {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const labelled = (salesCount: number, at: string) =>
    salesLabel({ salesCount, createdAt }, Date.parse(at));
  expect(labelled(0, '2026-01-30T00:00:00.000Z')).toBe('Just listed');
  expect(labelled(0, '2026-02-01T00:00:00.000Z')).toBe('No sales yet');
  expect(labelled(1, '2026-01-02T00:00:00.000Z')).toBe('1 sold');
});

describe('the steps of buying', () => {
  const titlesOf = (offer: Parameters<typeof buyingSteps>[0]) =>
    buyingSteps(offer).map(({ title }) => title);

  test('end with the money where a seller delivers it', () => {
    const steps = ['You pay', 'The seller delivers', 'You confirm', 'The money is released'];
    expect(titlesOf({ deliveryType: 'MANUAL', priceCents: 100 })).toEqual(steps);
  });

  test('say nothing of money where it is free', () => {
    for (const deliveryType of ['MANUAL', 'AUTOMATIC'] as const) {
      const told = JSON.stringify(buyingSteps({ deliveryType, priceCents: 0 }));
      expect(told).not.toContain('money');
      expect(told).toContain('You order it');
    }
  });
});

test('what was not found is named by its words and its category', () => {
  const [search, category] = ['pirates', 'TEMPLATE'] as const;
  expect(nothingFoundLabel({ search, category })).toBe('No template matches “pirates”');
  expect(nothingFoundLabel({ search, category: undefined })).toBe('No listing matches “pirates”');
  expect(nothingFoundLabel({ search: undefined, category })).toBe('No template is for sale');
});

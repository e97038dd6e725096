import { moneyWords } from '../../parts/words.ts';

export const priceWords = (cents: number, currency: string): string =>
  cents === 0 ? 'Free' : moneyWords(cents, currency);

/** What stands in a field for money, in cents; undefined where it is no price. */
export const centsIn = (value: number | string): number | undefined => {
  const amount = typeof value === 'number' ? value : Number.parseFloat(value);
  return Number.isFinite(amount) && amount >= 0 ? Math.round(amount * 100) : undefined;
};

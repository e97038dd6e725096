import { expect, test } from 'bun:test';
import { countryCodes } from '@holdfast/contract';
import { countryWords, listCountries } from './countries.ts';

test('the countries that can be chosen are those that a rule can name', () => {
  const codes = listCountries().map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(countryCodes));
  expect(codes).toHaveLength(countryCodes.size);
});

test('they stand in the order of their names', () => {
  const names = listCountries().map(({ name }) => name);
  expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)));
});

test.each([
  ['IS', 'Iceland (IS)'],
  ['QQ', 'QQ'],
  ['', ''],
  ['not a code', 'not a code'],
])('%p is told as %p', (code, words) => {
  expect(countryWords(code)).toBe(words);
});

import { expect, test } from 'bun:test';
import { countryCodes } from '@holdfast/contract';
import { countryLabel, countryName, listCountries } from './countries.ts';

test('the countries that can be chosen are those that a rule can name', () => {
  const codes = listCountries().map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(countryCodes));
  expect(codes).toHaveLength(countryCodes.size);
});

test('they are sorted by name', () => {
  const names = listCountries().map(({ name }) => name);
  expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)));
});

test.each([
  ['IS', 'Iceland (IS)'],
  ['QQ', 'QQ'],
  ['', ''],
  ['not a code', 'not a code'],
])('%p is labelled %p', (code, label) => {
  expect(countryLabel(code)).toBe(label);
});

test('a country is named, and what is none is not', () => {
  expect(countryName('DE')).not.toBe('DE');
  expect(countryName('')).toBe('Not known');
  expect(countryName('unknown')).toBe('Not known');
});

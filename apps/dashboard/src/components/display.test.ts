import { expect, test } from 'bun:test';
import { isSameName } from './display.tsx';

test('invisible characters need not be typed', () => {
  expect(isSameName('Quiet Bay evil', 'Quiet  Bay \u202eevil\u200b')).toBe(true);
  expect(isSameName(' Café ', 'Cafe\u0301')).toBe(true);
});

test('visible characters must be typed as they are', () => {
  expect(isSameName('harbour', 'Harbour')).toBe(false);
  expect(isSameName('Harbou', 'Harbour')).toBe(false);
  expect(isSameName('', 'Harbour')).toBe(false);
});

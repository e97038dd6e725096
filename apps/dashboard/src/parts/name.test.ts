import { expect, test } from 'bun:test';
import { isSameName } from './name.tsx';

test('what nobody can see need not be typed', () => {
  expect(isSameName('Quiet Bay evil', 'Quiet  Bay \u202eevil\u200b')).toBe(true);
  expect(isSameName(' Café ', 'Cafe\u0301')).toBe(true);
});

test('what can be seen must be typed as it is', () => {
  expect(isSameName('harbour', 'Harbour')).toBe(false);
  expect(isSameName('Harbou', 'Harbour')).toBe(false);
  expect(isSameName('', 'Harbour')).toBe(false);
});

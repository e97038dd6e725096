import { expect, test } from 'bun:test';
import { HoldfastError, HoldfastLoginFailed, HoldfastNetworkError } from '@holdfast/sdk';
import { exitCodes } from '../exit-codes.ts';
import { failureOf } from './failure.ts';

const exitOf = (error: unknown): number => exitCodes[failureOf(error, (field) => field).exit].code;

test.each([
  [400, 2],
  [401, 3],
  [403, 4],
  [404, 5],
  [409, 6],
  [429, 9],
  [500, 1],
  [503, 10],
])('HTTP %d ends with the exit code %d', (status, code) => {
  expect(exitOf(new HoldfastError('Refused', { status }))).toBe(code);
});

test('a limit says when to try again', () => {
  const { hints } = failureOf(
    new HoldfastError('Slow down', { status: 429, retryAfterMs: 7100 }),
    String,
  );
  expect(hints).toEqual(['Try again in 8 s.']);
  const nextPullAt = new Date(Date.now() + 7_200_000).toISOString();
  const cooldown = new HoldfastError('Too early', { status: 429, nextPullAt });
  expect(failureOf(cooldown, String).hints).toEqual(['Possible again in 2 h.']);
});

test('no answer, a denied login and a bug have exit codes of their own', () => {
  expect(exitOf(new HoldfastNetworkError('x', { isTimeout: true, cause: undefined }))).toBe(10);
  expect(exitOf(new HoldfastLoginFailed('Denied', 'access_denied'))).toBe(3);
  expect(exitOf(new TypeError('x is not a function'))).toBe(1);
});

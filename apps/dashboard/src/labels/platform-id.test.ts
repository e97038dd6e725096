import { expect, test } from 'bun:test';
import { accountCreatedAt } from './platform-id.ts';

test('the id of an account tells when it was made', () => {
  expect(accountCreatedAt('175928847299117063')).toBe('2016-04-30T11:18:25.796Z');
  expect(accountCreatedAt('1')).toBeNull();
  expect(accountCreatedAt('somebody')).toBeNull();
});

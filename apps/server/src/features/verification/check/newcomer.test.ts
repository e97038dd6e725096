import { expect, test } from 'bun:test';
import { addressPrefixOf } from './newcomer.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['unknown', undefined],
])('a person at %s is recognized by %s', (address, prefix) => {
  expect(addressPrefixOf(address)).toBe(prefix);
});

import { expect, test } from 'bun:test';
import { permission } from '../../../platform/permissions.ts';
import { describeInvites } from '../../bots/setup/needed-permissions.ts';
import { neededPermissions } from './needed-permissions.ts';

test('whoever invites a bot without administrator still gives it all that protection needs', () => {
  const limited = describeInvites(String).find(({ kind }) => kind === 'LIMITED');
  const asked = BigInt(limited?.url ?? 0);
  const missing = neededPermissions.filter(({ bit }) => (asked & bit) !== bit);
  expect(missing).toEqual([]);
  expect(asked & permission.administrator).toBe(0n);
});

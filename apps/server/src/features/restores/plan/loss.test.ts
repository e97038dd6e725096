import { expect, test } from 'bun:test';
import { permission } from '../../../platform/permissions.ts';
import { describeLoss, toStoredLoss } from './loss.ts';

test('a loss is stored as a code with its data, and told in words when it is read', () => {
  const permissions = permission.manageMessages | permission.kickMembers;
  const role = { type: 'role', name: 'Staff', code: 'permissionsNotGivable', permissions } as const;
  const stored = toStoredLoss(role);
  expect(JSON.parse(JSON.stringify(stored))).toEqual({ ...role, permissions: '8194' });
  expect(describeLoss(stored)).toBe(
    'role Staff: the bot cannot give what it does not have: kick members, manage messages',
  );
});

test('a loss that an earlier version stored in words is told in these', () => {
  const stored = { type: 'channel', name: 'general', reason: 'it stays' } as const;
  expect(describeLoss(stored)).toBe('channel general: it stays');
});

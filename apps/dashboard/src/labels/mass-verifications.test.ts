import { expect, test } from 'bun:test';
import type { MassVerification } from '../queries/records.ts';
import { filterLabel, massVerificationMessage } from './mass-verifications.ts';

const job = (changes: Partial<MassVerification>): MassVerification => ({
  ...{ id: '', serverId: '', status: 'completed', progress: 100, total: 3, processed: 3 },
  ...{ results: { given: 2, already: 1, failed: 0 }, verifiedRoleId: '1', pullable: false },
  ...{ joinedBefore: null, roleId: null, error: null },
  ...{ createdAt: '', startedAt: null, completedAt: null },
  ...changes,
});

test('a mass verification says what it does and how it ended', () => {
  expect(massVerificationMessage(job({ status: 'running', total: 0, processed: 0 }))).toBe(
    'Counting the members who pass the filter.',
  );
  expect(massVerificationMessage(job({}))).toBe('Done: 2 got the role.');
  expect(massVerificationMessage(job({ total: 0 }))).toBe('Nobody passed the filter.');
  const failed = { given: 1, already: 1, failed: 1 };
  expect(massVerificationMessage(job({ results: failed }))).toBe('Done, except for 1 member.');
});

test('its filter is named', () => {
  expect(filterLabel({ joinedBefore: null, roleId: null }, undefined)).toBe('everybody');
  expect(filterLabel({ joinedBefore: null, roleId: '7' }, 'Veteran')).toBe('with the role Veteran');
});

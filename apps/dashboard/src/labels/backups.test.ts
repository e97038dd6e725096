import { expect, test } from 'bun:test';
import { backupTitle, isReliable } from './backups.ts';
import { formatTime } from './format.ts';

const createdAt = '2026-03-01T12:00:00.000Z';

test.each([
  ['MANUAL', 'Before the summer event', 'Before the summer event'],
  ['MANUAL', `Backup ${createdAt}`, `Backup of ${formatTime(createdAt)}`],
  ['SCHEDULED', `Scheduled ${createdAt}`, `Scheduled backup of ${formatTime(createdAt)}`],
  ['MANUAL', `Backup ${createdAt} again`, `Backup ${createdAt} again`],
  ['PRE_RESTORE', 'Before restore 01', `Before the restore of ${formatTime(createdAt)}`],
] as const)('one that is %s and called %p is shown as %p', (kind, name, title) => {
  expect(backupTitle({ kind, name, createdAt })).toBe(title);
});

test('a reliable backup is complete, not suspicious, and passed or awaits its test restore', () => {
  const whole = { status: 'completed', restorable: null } as const;
  const good = { ...whole, suspicious: false, kind: 'MANUAL' } as const;
  expect(isReliable(good)).toBe(true);
  expect(isReliable({ ...good, status: 'running' })).toBe(false);
  expect(isReliable({ ...good, restorable: false })).toBe(false);
  expect(isReliable({ ...good, suspicious: true })).toBe(false);
  expect(isReliable({ ...good, kind: 'PRE_RESTORE' })).toBe(false);
});

import { expect, test } from 'bun:test';
import { backupTitle, lastBackupOf, lastGoodFirst } from './backups.ts';
import { formatTime } from './format.ts';

const createdAt = '2026-03-01T12:00:00.000Z';

test.each([
  ['MANUAL', 'Before the summer event', 'Before the summer event'],
  ['MANUAL', `Backup ${createdAt}`, `Backup of ${formatTime(createdAt)}`],
  ['SCHEDULED', `Scheduled ${createdAt}`, `Scheduled backup of ${formatTime(createdAt)}`],
  ['MANUAL', `Accepted ${createdAt}`, `Accepted as it was on ${formatTime(createdAt)}`],
  ['MANUAL', `Backup ${createdAt} again`, `Backup ${createdAt} again`],
  ['PRE_RESTORE', `Incident ${createdAt}`, `During the incident of ${formatTime(createdAt)}`],
  ['PRE_RESTORE', 'Before restore 01', `Before the restore of ${formatTime(createdAt)}`],
] as const)('one that is %s and called %p is shown as %p', (kind, name, title) => {
  expect(backupTitle({ kind, name, createdAt })).toBe(title);
});

test('the last good backup is offered first, and the others as before', () => {
  const backups = [{ id: 'c' }, { id: 'b' }, { id: 'a' }];
  expect(lastGoodFirst(backups, 'b').map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  expect(lastGoodFirst(backups, null)).toEqual(backups);
});

test('the last backup is the newest one of the server, not a safety backup or a bought template', () => {
  const scheduled = { id: 'b', kind: 'SCHEDULED' } as const;
  const safety = { id: 'c', kind: 'PRE_RESTORE' } as const;
  const bought = { id: 'd', kind: 'MARKETPLACE' } as const;
  expect(lastBackupOf([safety, bought, scheduled, { id: 'a', kind: 'MANUAL' }])).toBe(scheduled);
  expect(lastBackupOf([safety])).toBeUndefined();
});
